"""Workloads that ship with mrtune, one file each."""

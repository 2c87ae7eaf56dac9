"""Tests of mrtune.nn."""

#!/usr/bin/env bash
# A cluster for one search inside a Slurm job: `sbatch docs/cluster/slurm.sh`.
# When the time is over, checkpoints are written; submitted again, the search goes on.
#SBATCH --job-name=mrtune
#SBATCH --nodes=3
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=32
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@300
set -euo pipefail

export RAY_AUTH_MODE=token
RAY_AUTH_TOKEN=$(openssl rand -hex 32)
export RAY_AUTH_TOKEN
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | cut -d ' ' -f 1)

srun --nodes=1 --ntasks=1 --nodelist="$head" \
  ray start --head --num-cpus="$SLURM_CPUS_PER_TASK" --node-ip-address="$address" --port=6379 --dashboard-host=127.0.0.1 --disable-usage-stats --block &
sleep 20
srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" \
  ray start --num-cpus="$SLURM_CPUS_PER_TASK" --address="$address:6379" --disable-usage-stats --block &
sleep 20

# Set outside: MRTUNE_STORAGE=postgresql://USER:PASSWORD@HOST/DATABASE, and SHARED, a folder on all nodes.
mrtune cluster check --address "$address:6379" --runs "$SHARED/runs" --workload celeba
if mrtune status celeba-full >/dev/null 2>&1; then
  mrtune resume celeba-full --address "$address:6379" -q &
else
  mrtune search celeba --trials 200 --gpus-per-trial 0.25 --study celeba-full --runs "$SHARED/runs" --address "$address:6379" -q &
fi
search=$!
trap 'kill -TERM "$search"; wait "$search"' TERM
wait "$search"

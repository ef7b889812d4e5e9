#!/usr/bin/env python3
"""Runs a sweep with a real Slurm of two nodes on this machine, cancels tasks, drains and kills a node in the middle.

    tests/app/check_slurm.py build/coalesce [--keep DIR]

Starts munged, slurmctld and two slurmd of its own in a temporary folder and ends them again; touches no other Slurm.
Checked: tasks on a drained node finish and others go to the other node; tasks of a node that dies are put back into the
queue and finish; cancelled tasks are submitted by the next call; a job that fails puts itself back and succeeds; no step
runs again after it was done; all state hashes are those of tools/sweep-local.
Needs root, slurmctld, slurmd and munged (Debian: slurm-wlm, munge). Exit: 0 fine, 1 not, 77 they are missing.
"""
import argparse
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONTROL_PORT, NODE_PORTS = 17390, (17391, 17392)
SCENE = {
    "about": "A block of liquid falls.",
    "duration": 1.5,
    "materials": {"water": {"spacing": 0.04}},
    "bodies": [{"name": "block", "material": "water", "block": {"size": [0.8, 0.8, 0.8]}, "center": [0, 0.6, 0]}],
    "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}],
    "expect": {"sinks": {"check": "height", "at": 0.4, "max": 5}},
}
SWEEP = {"scenes": ["block.json"],
         "values": {"solver.substeps": [2, 3], "world.gravity": [[0, -9.81, 0], [0, -1.6, 0]],
                    "materials.water.viscosity": {"from": 0.01, "to": 1, "count": 5, "scale": "log"}},
         "outputs": {"video": {"resolution": "96x64", "fps": 10, "quality": "fast", "parts": 2}}}
failures = []


def expect(good, text):
    print("ok:    " if good else "FAILED:", text, flush=True)
    if not good:
        failures.append(text)


def wait_until(condition, seconds, text):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.2)
    expect(False, f"waited {seconds} s in vain: {text}")


class Cluster:
    """munged, slurmctld and slurmd of two nodes with one processor each, in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        host = socket.gethostname().split(".")[0]
        for name in ("munge", "state", "spool_n1", "spool_n2", "log"):
            (folder / name).mkdir()
        for level in (folder, folder / "munge"):
            level.chmod(0o755)
        key = folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        user = pwd.getpwnam("munge")
        for file in (key, folder / "munge"):
            os.chown(file, user.pw_uid, user.pw_gid)
        (folder / "slurm.conf").write_text(f"""
ClusterName=sweeptest
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={CONTROL_PORT}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool_%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd_%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd_%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SchedulerType=sched/backfill
DefMemPerNode=1000
SlurmdTimeout=10
InactiveLimit=0
MinJobAge=300
KillWait=2
ReturnToService=2
MpiDefault=none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={NODE_PORTS[0]} CPUs=1 RealMemory=4000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={NODE_PORTS[1]} CPUs=1 RealMemory=4000
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self, name, command, **more):
        log = open(self.folder / "log" / f"{name}.out", "ab")
        self.processes[name] = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, start_new_session=True,
                                                **more)

    def start_all(self):
        place = self.folder / "munge"
        self.start("munged", ["munged", "--foreground", "--force", "--key-file", place / "key", "--socket",
                              place / "socket", "--pid-file", place / "pid", "--log-file", place / "log", "--seed-file",
                              place / "seed"], user="munge", group="munge")
        wait_until((place / "socket").exists, 10, "munged")
        self.start("slurmctld", ["slurmctld", "-D"])
        for node in ("n1", "n2"):
            self.start_node(node)
        wait_until(lambda: self.idle() == {"n1", "n2"}, 30, "two idle nodes")

    def start_node(self, node):
        self.start(node, ["slurmd", "-D", "-N", node])

    def idle(self):
        said = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %t"], capture_output=True, text=True).stdout
        return {line.split()[0] for line in said.splitlines() if line.split()[1:] == ["idle"]}

    def kill_node(self, node):
        """As when it loses its power: the daemon and everything that runs on it."""
        for pid in self.pids_on(node):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process = self.processes.pop(node)
        process.kill()
        process.wait()

    @staticmethod
    def pids_on(node):
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"SLURMD_NODENAME={node}\0".encode() in (place / "environ").read_bytes():
                    found.append(int(place.name))
            except OSError:
                pass
        return found

    def stop(self):
        subprocess.run(["scancel", "--user=root"], capture_output=True)
        for node in ("n1", "n2"):
            for pid in self.pids_on(node):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        for process in reversed(list(self.processes.values())):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def events(folder):
    file = folder / "log.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def results(folder):
    """{key: (state hash, bytes of the video)}"""
    return {place.name: (json.loads((place / "stats.json").read_text())["cases"][0]["hash"],
                         (place / "video.mp4").read_bytes()) for place in (folder / "jobs").iterdir()}


def running(node=None):
    words = ["squeue", "-h", "-r", "-t", "R", "-o", "%F_%K"] + (["-w", node] if node else [])
    return [task for task in subprocess.run(words, capture_output=True, text=True).stdout.split() if task[-1].isdigit()]


def slurm_test(program, folder):
    # two of twenty jobs fail at first: a folder lies where their file should be
    to = folder / "slurm"
    subprocess.run([program, "sweep", folder / "sweep.json", "--to", to, "--quiet"], check=True)
    lines = [json.loads(line) for line in (to / "jobs.jsonl").read_text().splitlines()]
    expect(len(lines) == 20, f"{len(lines)} jobs")
    blocked = [to / "jobs" / lines[k]["key"] / "stats.json" for k in (0, 1)]
    for place in blocked:
        place.mkdir(parents=True)
    tool = [ROOT / "tools" / "sweep-slurm", to, "--program", program]
    done = subprocess.run([*tool, "--retries", "3"], capture_output=True, text=True)
    print(done.stdout + done.stderr, flush=True)
    expect(done.returncode == 0, "submitted")
    refused = subprocess.run(tool, capture_output=True, text=True)
    expect(refused.returncode == 1 and "still in the queue" in refused.stderr, "a second call is refused meanwhile")

    # the first failure puts its task back into the queue; then the reason is gone
    wait_until(lambda: any(e["event"] == "failed" for e in events(to)), 60, "a failure")
    for place in blocked:
        place.rmdir()

    # two tasks are cancelled, one that runs and one that waits
    wait_until(lambda: len(running()) >= 1, 30, "a task that runs")
    victim = running()[0]
    array = victim.split("_")[0]
    subprocess.run(["scancel", victim, f"{array}_19"], check=True)
    print("cancelled", victim, f"{array}_19", flush=True)

    # a node is drained: what runs there goes on, nothing new begins there
    subprocess.run(["scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=test"], check=True)
    time.sleep(4)
    wait_until(lambda: not running("n2"), 60, "the drained node runs out of tasks")
    print("n2 is drained; on n1:", running("n1"), flush=True)
    subprocess.run(["scontrol", "update", "NodeName=n2", "State=RESUME"], check=True)

    # a node dies with its task
    wait_until(lambda: running("n1"), 60, "a task on n1")
    lost = running("n1")
    CLUSTER.kill_node("n1")
    print("n1 dies with", lost, flush=True)
    wait_until(lambda: not running("n1"), 60, "Slurm notes the death of the node")
    CLUSTER.start_node("n1")

    ids = ",".join(json.loads((to / "slurm" / "submitted.json").read_text()))
    wait_until(lambda: not subprocess.run(["squeue", "-h", "-j", ids], capture_output=True, text=True).stdout, 400,
               "the end of the queue")
    status = subprocess.run([*tool, "--status"], capture_output=True, text=True)
    print(status.stdout, flush=True)
    finished = int(status.stdout.split()[0])
    expect(status.returncode == 1 and finished < 20, f"{finished} of 20 are finished before the cancelled ones run")

    again = subprocess.run([*tool, "--wait"], capture_output=True, text=True)
    print(again.stdout + again.stderr, flush=True)
    expect(again.returncode == 0 and "20 of 20 jobs are finished" in again.stdout, "the next call finishes the rest")
    expect((to / "report.html").exists(), "the last job writes the report")

    state, starts = {}, {}
    for event in events(to):
        name = (event["key"], event["step"])
        if state.get(name) == "done":
            expect(False, f"{name} ran again after it was done: {event}")
        state[name] = event["event"]
        starts[name] = starts.get(name, 0) + (event["event"] == "start")
    steps = sum(len(line["steps"]) for line in lines)
    expect(len(state) == steps and set(state.values()) == {"done"}, f"{steps} steps are done, each once")
    repeated = {name for name, count in starts.items() if count > 1}
    print(f"{len(repeated)} steps were begun again after a failure, a cancellation or the death of a node", flush=True)
    expect(2 <= len(repeated) <= 8, "only interrupted steps began again")
    hosts = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %t"], capture_output=True, text=True).stdout
    print(hosts, flush=True)
    return to


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="copies the logs of Slurm and of the jobs to this folder")
    options = parser.parse_args()
    absent = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
    if absent or os.geteuid() != 0:
        print("check_slurm: skipped:", f"{', '.join(absent)} not installed" if absent else "it must start daemons as root")
        sys.exit(77)
    global CLUSTER
    program = options.program.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "block.json").write_text(json.dumps(SCENE))
        (folder / "sweep.json").write_text(json.dumps(SWEEP))
        (folder / "cluster").mkdir()
        folder.chmod(0o755)
        CLUSTER = Cluster(folder / "cluster")
        began = time.monotonic()
        try:
            CLUSTER.start_all()
            if not failures:
                slurm_test(program, folder)
        finally:
            CLUSTER.stop()
            if options.keep:
                shutil.copytree(folder / "cluster" / "log", options.keep / "cluster", dirs_exist_ok=True)
                if (folder / "slurm").exists():
                    shutil.copytree(folder / "slurm", options.keep / "sweep", dirs_exist_ok=True)
        if not failures:
            # the same jobs on this machine without Slurm, the videos in one piece
            whole = json.loads(json.dumps(SWEEP))
            del whole["outputs"]["video"]["parts"]
            (folder / "sweep.json").write_text(json.dumps(whole))
            subprocess.run([program, "sweep", folder / "sweep.json", "--to", folder / "local", "--quiet"], check=True)
            subprocess.run([ROOT / "tools/sweep-local", folder / "local", "--program", program, "--quiet"], check=True)
            expect(results(folder / "slurm") == results(folder / "local"),
                   "state hashes and bytes of the videos are those of tools/sweep-local, where each is drawn in one piece")
        print(f"{time.monotonic() - began:.0f} s")
    print("FAILED" if failures else "all fine")
    sys.exit(1 if failures else 0)


CLUSTER = None
main()

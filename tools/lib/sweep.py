"""Jobs of a sweep (coalesce sweep) and their state on disk; shared by tools/sweep-local, sweep-slurm and sweep-report.

    DIR/jobs.jsonl           one line per job, written by coalesce sweep
    DIR/log.jsonl            what happened, one line per event; lines are appended and never changed
    DIR/jobs/KEY/            results of a job
    DIR/jobs/KEY/STEP.done   the step is finished; holds exit code, seconds, machine
    DIR/jobs/KEY/STEP.failed the last attempt failed; holds the reason
    DIR/jobs/KEY/STEP.log    output of the program
    DIR/jobs/KEY/STEP.lock   held (flock) while the step runs, also by the program itself, so that a step whose
                             starter was killed is not started again beside it

A step is done when its .done file is there, which is written last and renamed into place: after a kill at any moment
a step is done or it is not, and a step that is done is not run again.
"""
import ctypes
import errno
import fcntl
import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PR_SET_PDEATHSIG = 1  # prctl(2)

# Exit codes of coalesce (src/core/error.h) that another attempt would only repeat: usage, scene, simulation, a library that is
# missing.
SURE_FAILURES = (2, 3, 6, 9)


def stop(text, hint=""):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {text}" + (f"\n    {hint}" if hint else ""))


def default_program():
    return ROOT / "build" / "coalesce"


def read_jobs(folder):
    file = pathlib.Path(folder) / "jobs.jsonl"
    try:
        jobs = [json.loads(line) for line in file.read_text().splitlines()]
    except OSError as error:
        stop(f"{file} cannot be read: {error.strerror}", "Write it: coalesce sweep SWEEP.json --to DIR")
    except json.JSONDecodeError as error:
        stop(f"{file} is damaged: {error}", "Write it again: coalesce sweep SWEEP.json --to DIR")
    if not jobs:
        stop(f"{file} has no jobs")
    return jobs


def check_program(program, jobs):
    """The keys are those of one version."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        stop(f"{program} cannot be run: {error}", "Build it (tools/run), or give --program.")
    if said != jobs[0]["version"]:
        stop(f"the jobs are for version {jobs[0]['version']}, {program} is {said}", "Write the jobs again: coalesce sweep")


def write_whole(file, text):
    """The file is whole, on the disk, or not there."""
    part = file.with_name(f"{file.name}.{socket.gethostname()}.{os.getpid()}.part")
    with open(part, "w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    part.replace(file)


def note(folder, **event):
    """One line of log.jsonl: one write to a file opened for appending, so that lines of several programs do not mix."""
    line = json.dumps({"time": round(time.time(), 3), "host": socket.gethostname(), **event}) + "\n"
    out = os.open(pathlib.Path(folder) / "log.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(out, line.encode())
    finally:
        os.close(out)


LIBC = ctypes.CDLL(None)  # loaded here: after a fork only calls that need no lock are safe


def die_with(starter):
    """In the child, before the program starts: it is killed when its starter is."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != starter:  # killed before the call
        os._exit(1)


class Busy(Exception):
    """Another program runs the step now."""


class Job:
    def __init__(self, folder, line):
        self.folder = pathlib.Path(folder)
        self.line = line
        self.key = line["key"]
        self.place = self.folder / "jobs" / self.key
        self.steps = {step["name"]: step for step in line["steps"]}

    def name(self):
        """For people: scene, size, case and values."""
        words = [self.line["scene"], self.line["size"], self.line["case"]]
        words += [f"{path.split('.')[-1]}={value}" for path, value in self.line["values"].items()]
        return " ".join(word for word in words if word)

    def done(self, step):
        return (self.place / f"{step}.done").exists()

    def finished(self):
        return all(self.done(step) for step in self.steps)

    def ready(self, step):
        return all(self.done(other) for other in self.steps[step].get("after", []))

    def failure(self):
        """(step, reason) of a step that failed and was not done since; None otherwise."""
        for step in self.steps:
            file = self.place / f"{step}.failed"
            if not self.done(step) and file.exists():
                return step, json.loads(file.read_text())["reason"]
        return None

    def retryable(self, step):
        """Whether another attempt may end otherwise."""
        return json.loads((self.place / f"{step}.failed").read_text())["exit"] not in SURE_FAILURES

    def run_step(self, name, program, threads=0, attempt=1):
        """True: the step is done. False: this attempt failed. Raises Busy when another program runs it."""
        step = self.steps[name]
        self.place.mkdir(parents=True, exist_ok=True)
        with open(self.place / f"{name}.lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN):
                    raise Busy from None
                raise
            if self.done(name):  # meanwhile
                return True
            began = time.time()
            note(self.folder, event="start", key=self.key, step=name, attempt=attempt)
            code, reason = self._execute(step, program, threads, lock)
            if reason:
                write_whole(self.place / f"{name}.failed", json.dumps({"reason": reason, "exit": code}) + "\n")
                note(self.folder, event="failed", key=self.key, step=name, attempt=attempt, exit=code, reason=reason)
                return False
            write_whole(self.place / f"{name}.done", json.dumps(
                {"exit": code, "seconds": round(time.time() - began, 3), "host": socket.gethostname()}) + "\n")
            (self.place / f"{name}.failed").unlink(missing_ok=True)
            note(self.folder, event="done", key=self.key, step=name, attempt=attempt, exit=code)
            return True

    def _execute(self, step, program, threads, lock):
        """(exit code, reason of a failure or None)"""
        for path in step.get("fresh", []) + step.get("remove", []):
            shutil.rmtree(self.place / path, ignore_errors=True)
        if not step["arguments"]:
            return 0, None
        words = [word.replace("{job}", str(self.place.resolve())).replace("{threads}", str(threads))
                 for word in step["arguments"]]
        with open(self.place / f"{step['name']}.log", "wb") as log:
            try:
                code = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                      pass_fds=[lock.fileno()], preexec_fn=functools.partial(die_with, os.getpid())).returncode
            except OSError as error:
                return 127, f"{program} cannot be run: {error.strerror}"
        if code in step.get("accept", [0]):
            return code, None
        said = (self.place / f"{step['name']}.log").read_text(errors="replace").strip().splitlines()
        why = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return code, f"{why}: {' '.join(said[-2:])}" if said else why


def summary(jobs):
    """Text for the end of a run, and whether everything is finished."""
    finished = sum(job.finished() for job in jobs)
    lines = [f"{finished} of {len(jobs)} jobs are finished"]
    for job in jobs:
        failure = job.failure()
        if failure:
            lines.append(f"failed: {job.key} ({job.name()}), step {failure[0]}: {failure[1]}\n"
                         f"    {job.place / (failure[0] + '.log')}")
    return "\n".join(lines), finished == len(jobs)

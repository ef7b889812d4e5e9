#!/usr/bin/env python3
"""Runs a sweep whose executor is killed again and again (kill -9): the results are those of an unbroken run.

    tests/app/check_sweep.py build/coalesce

Checked: nothing that was finished runs again, nothing runs twice at a time, nothing is lost, the programs that ran end
with their executor, failed jobs are tried again and named, the report has a row for each job. Exit: 0 fine, 1 not.
"""
import csv
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENE = {
    "about": "A block of liquid falls.",
    "duration": 0.5,
    "materials": {"water": {"spacing": 0.06}},
    "bodies": [{"name": "block", "material": "water", "block": {"size": [0.8, 0.8, 0.8]}, "center": [0, 0.6, 0]}],
    "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}],
    "expect": {"outside": {"always": True, "max": 0}, "sinks": {"check": "height", "at": 0.4, "max": 5}},
    "bounds": {"min": [-9, -1, -9], "max": [9, 9, 9]},
}
SWEEP = {"scenes": ["block.json"], "values": {"solver.substeps": [2, 3], "world.gravity": [[0, -9.81, 0], [0, -1.6, 0]],
                                              "seed": [1, 2]},
         "outputs": {"cache": True}}
failures = []


def expect(good, text):
    if not good:
        failures.append(text)
        print("FAILED:", text)


def events(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def hashes(folder):
    return {place.name: json.loads((place / "stats.json").read_text())["cases"][0]["hash"]
            for place in (folder / "jobs").iterdir()}


def ended(pattern):
    """Whether the processes of this command line end within seconds; a loaded machine needs time to remove them."""
    for _ in range(50):
        if not subprocess.run(["pgrep", "-f", pattern], capture_output=True).stdout:
            return True
        time.sleep(0.1)
    return False


def frames(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.glob("jobs/*/cache/*.frame"))}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "block.json").write_text(json.dumps(SCENE))
        (folder / "sweep.json").write_text(json.dumps(SWEEP))
        whole, broken = folder / "whole", folder / "broken"
        local = ROOT / "tools" / "sweep-local"
        for to in (whole, broken):
            subprocess.run([program, "sweep", folder / "sweep.json", "--to", to, "--quiet"], check=True)
        expect((whole / "jobs.jsonl").read_bytes() == (broken / "jobs.jsonl").read_bytes(), "equal lists of jobs")

        done = subprocess.run([local, whole, "--program", program, "--jobs", "2"], capture_output=True, text=True)
        expect(done.returncode == 0, f"unbroken sweep: {done.stdout}{done.stderr}")
        expect("8 of 8 jobs are finished" in done.stdout, done.stdout)
        expect(len(set(hashes(whole).values())) == 4, "a seed alone changes no hash, all else does")

        # killed in the middle, until it is finished
        chance = random.Random(1)
        kills, finished = 0, set()
        while True:
            pool = subprocess.Popen([local, broken, "--program", program, "--jobs", "2", "--quiet"],
                                    stdout=subprocess.DEVNULL)
            try:
                pool.wait(timeout=chance.uniform(0.2, 0.5) if kills < 8 else 120)
                break
            except subprocess.TimeoutExpired:
                pool.send_signal(signal.SIGKILL)
                pool.wait()
                kills += 1
            expect(ended(f"{program} .*{broken}"), "programs end with the executor that was killed")
            now = {file.parent.name for file in broken.glob("jobs/*/simulate.done")}
            expect(finished <= now, "what was finished stays finished")
            finished = now
        expect(kills >= 3, f"the executor was killed {kills} times")
        print(f"killed {kills} times")
        expect(hashes(broken) == hashes(whole), "equal state hashes after kills")
        expect(frames(broken) == frames(whole) and frames(whole), "equal bytes of the caches after kills")

        # no start after done, one done for each step, no two starts at a time
        state = {}
        for event in events(broken):
            name = (event["key"], event["step"])
            before = state.get(name)
            expect(before != "done", f"{name} ran again after it was done")
            state[name] = event["event"]
        expect(len(state) == 8 and set(state.values()) == {"done"}, f"each step is done once: {state}")

        # a second call does nothing
        size = (broken / "log.jsonl").stat().st_size
        again = subprocess.run([local, broken, "--program", program], capture_output=True, text=True)
        expect(again.returncode == 0 and (broken / "log.jsonl").stat().st_size == size, "finished jobs are skipped")

        # a job that fails: tried again, named, and finished by a later call
        target = sorted((broken / "jobs").iterdir())[0]
        (target / "simulate.done").unlink()
        (target / "stats.json").unlink()
        (target / "stats.json").mkdir()  # cannot be written
        bad = subprocess.run([local, broken, "--program", program], capture_output=True, text=True)
        expect(bad.returncode == 1 and f"failed: {target.name}" in bad.stdout and "stats.json" in bad.stdout, bad.stdout)
        attempts = [e["attempt"] for e in events(broken) if e["event"] == "failed" and e["key"] == target.name]
        expect(attempts == [1, 2], f"tried twice: {attempts}")
        report = subprocess.run([ROOT / "tools/sweep-report", broken], capture_output=True, text=True)
        expect(report.returncode == 1 and "7 of 8" in report.stdout, report.stdout + report.stderr)
        (target / "stats.json").rmdir()
        expect(subprocess.run([local, broken, "--program", program, "--quiet"]).returncode == 0, "finished later")
        expect(hashes(broken) == hashes(whole), "equal state hashes after a failure")

        report = subprocess.run([ROOT / "tools/sweep-report", broken], capture_output=True, text=True)
        expect(report.returncode == 0, report.stdout + report.stderr)
        with open(broken / "report.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        expect({row["key"]: row["hash"] for row in rows} == hashes(whole), "the table has the hash of every job")
        expect({row["verdict outside"] for row in rows} == {"passed"}, "the table has the checks")
        page = (broken / "report.html").read_text()
        expect(all(row["key"] in page for row in rows) and "@" + "DATA@" not in page, "the page has every job")
    print("FAILED" if failures else "all fine")
    sys.exit(1 if failures else 0)


main()

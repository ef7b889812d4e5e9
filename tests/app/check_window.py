#!/usr/bin/env python3
"""Tests the window on a virtual display: keys, mouse, recording, resizing, changed files, settings.

The effect of a key is checked in screenshots (F12), in the title, and in files. A step waits for its effect; seconds only
limit the wait.

    xvfb-run -a -s "-screen 0 1280x720x24" tests/app/check_window.py PROGRAM

Exit: 0 fine, 1 not, 77 if the libraries that send input are missing.
"""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from window_input import WindowInput  # noqa: E402

SCENE = """{ "about": "Water falls.", "cameras": [{ "eye": [2.5, 1.5, 3], "look": [0.3, 0.4, 0.3] }], "materials": { "water": { "spacing": 0.1 } },
  "bodies": [{ "name": "block", "material": "water", "block": { "min": [0, 0.2, 0], "max": [0.6, 0.8, 0.6] } }],
  "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0] } }],
  "cases": { "thin": {}, "thick": { "materials.water.viscosity": 1 } } }"""
failures = []


def check(true, what):
    print(("ok      " if true else "FAILED  ") + what, flush=True)
    if not true:
        failures.append(what)


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def pictures(video):
    """Width, height and number of frames of a video; zeros if it cannot be read."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                           "stream=nb_read_frames,width,height", "-of", "csv=p=0", video],
                          capture_output=True, text=True)
    parts = done.stdout.strip().split(",")
    return tuple(map(int, parts)) if len(parts) == 3 else (0, 0, 0)


class Picture:
    """A screenshot as rows of RGB."""

    def __init__(self, file):
        # the first chunk of a PNG starts with them
        self.width, self.height = struct.unpack(">II", pathlib.Path(file).read_bytes()[16:24])
        self.bytes = subprocess.run(["ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                                    capture_output=True, check=True).stdout

    def part(self, left, top, right, bottom):
        rows = (self.bytes[3 * (y * self.width + left):3 * (y * self.width + right)] for y in range(top, bottom))
        return b"".join(rows)

    def has(self, color, left, top, right, bottom, many=20):
        """Whether a part has this many pixels of about this color."""
        part = self.part(left, top, right, bottom)
        return sum(all(abs(part[k + c] - color[c]) < 25 for c in range(3)) for k in range(0, len(part), 3)) >= many


class Window:
    def __init__(self, program, folder, *arguments, settings=True):
        self.folder = folder
        self.log = open(folder / "log.txt", "w+")
        # one core, for a test that mostly waits: other tests run beside it
        environment = dict(os.environ, XDG_CONFIG_HOME=str(folder / "config"), LP_NUM_THREADS="1")
        self.process = subprocess.Popen(
            [program, "view", *arguments, "--backend", "cpu", "--threads", "1", "--quality", "points", "--draft", "off"] +
            ([] if settings else ["--no-settings"]), cwd=folder, env=environment, stdout=self.log, stderr=self.log)
        self.user = WindowInput()
        # the title has the scene once the first frame is drawn
        self.title = self.user.wait_window("Coalesce: ")
        self.user.move(800, 300)

    def said(self):
        self.log.flush()
        return (self.folder / "log.txt").read_text()

    def shot(self, plain=False):
        """A screenshot after all input so far; plain: of the viewport without the interface."""
        before = set(self.folder.glob("*_[0-9]*.png"))
        self.user.key("F12", shift=plain)
        if not wait_for(lambda: set(self.folder.glob("*_[0-9]*.png")) - before):
            raise RuntimeError("F12 wrote no picture")
        return Picture((set(self.folder.glob("*_[0-9]*.png")) - before).pop())

    def in_one_frame(self, *keys):
        """Presses keys while the program stands still, so that one frame takes them all."""
        self.process.send_signal(signal.SIGSTOP)
        for key in keys:
            self.user.key(key)
        self.process.send_signal(signal.SIGCONT)
        self.shot()

    def until(self, condition, plain=False):
        """The first screenshot for which the condition holds; None: it never did."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            picture = self.shot(plain)
            if condition(picture):
                return picture
        return None

    def click(self, x, y):
        """Draws a frame between moving and pressing, and one after it."""
        self.user.move(x, y)
        self.shot()
        self.user.button(1, True)
        self.user.button(1, False)
        self.shot()

    def drag(self, start, end):
        """Draws a frame between any two steps, so that none is missed."""
        self.user.move(*start)
        self.user.button(1, True)
        self.shot()
        self.user.move(*((a + b) // 2 for a, b in zip(start, end)))
        self.shot()
        self.user.move(*end)
        self.shot()
        self.user.button(1, False)
        self.shot()

    def alive(self):
        return self.process.poll() is None

    def close(self):
        """Esc until it closes: each press closes one layer, and a slow device may need more than two. Exit code."""
        for _ in range(30):
            self.user.key("Escape")
            try:
                return self.process.wait(1)
            except subprocess.TimeoutExpired:
                pass
        self.process.kill()
        return None


def encoder_of(window):
    """Process of the encoder that the window feeds, or None."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            # "pid (name) state parent …"; a name may have spaces
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:  # it ended meanwhile
            continue
        state, parent = rest.split()[:2]
        if name == "ffmpeg" and int(parent) == window.process.pid and state != "Z":
            return int(folder.name)
    return None


def recording(program, folder):
    w = Window(program, folder, "scenes/small.json", "--resolution", "901x501")
    video = folder / "small_0001.mp4"
    w.user.key("F9")
    check(wait_for(lambda: encoder_of(w)), "F9 starts the encoder")
    time.sleep(2)
    w.user.resize(700, 400)
    time.sleep(1)
    w.user.hide(True)
    time.sleep(0.5)
    w.user.hide(False)
    w.user.resize(1, 1)
    time.sleep(0.5)
    w.user.resize(900, 500)
    time.sleep(0.5)
    w.user.key("F9")
    check(wait_for(video.exists), "F9 again finishes the video, after resizing, hiding and shrinking")
    count, width, height = 0, 0, 0
    if video.exists():
        width, height, count = pictures(video)
    check(count > 1 and width > 0 and width % 2 == 0 and height == 500,
          f"the video keeps its size: {count} frames of {width}x{height}")

    w.user.key("F9")
    wait_for(lambda: encoder_of(w))
    time.sleep(0.5)
    if encoder := encoder_of(w):
        os.kill(encoder, signal.SIGKILL)
    check(wait_for(lambda: "ffmpeg stopped accepting frames" in w.said()), "a killed encoder is reported")
    check(w.alive(), "and the window stays open")
    check(not list(folder.glob("*part*")) and not (folder / "small_0002.mp4").exists(), "no partial video stays")

    w.user.key("F9", shift=True)
    check(wait_for(lambda: len(list(folder.glob("small_*/frame_*.png"))) > 3), "Shift+F9 writes images")
    w.user.key("F9")
    time.sleep(1)
    w.user.key("F9")
    wait_for(lambda: encoder_of(w))
    time.sleep(1)
    w.user.key("comma")
    time.sleep(0.5)
    check(encoder_of(w) is not None, "rewinding does not end a recording")
    w.user.key("r")
    check(wait_for(lambda: (folder / "small_0002.mp4").exists()), "a restart does, with a complete video")
    w.user.key("F12")
    w.user.key("F12", shift=True)
    check(wait_for(lambda: len(list(folder.glob("small_*.png"))) == 2), "two screenshots")
    check(w.close() == 0, "Esc closes")


def write_settings(folder, text):
    """For the windows that open next."""
    settings = folder / "config/coalesce/settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(text)


def recording_size(program, folder):
    """A recording of a fixed size is independent of the window's."""
    write_settings(folder, '{ "recordingSize": "1280x720" }')
    w = Window(program, folder, "scenes/small.json", "--resolution", "700x600")
    w.user.key("F9")
    wait_for(lambda: encoder_of(w))
    time.sleep(2)
    w.user.key("F9")
    videos = lambda: sorted(folder.glob("small_????.mp4"))  # not small_0001.part.mp4, which is being written
    check(wait_for(videos), "a video of a chosen size is recorded")
    check(videos() and pictures(videos()[-1])[:2] == (1280, 720), "and has this size")
    check(w.close() == 0, "Esc closes")


def recording_length(program, folder):
    """A recording of a chosen length ends by itself."""
    write_settings(folder, '{ "recordingLength": 0.2 }')
    w = Window(program, folder, "scenes/small.json", "--resolution", "640x480")
    w.user.key("F9")
    check(wait_for((folder / "small_0001.mp4").exists), "a recording of 0.2 s ends by itself")
    check(pictures(folder / "small_0001.mp4")[2] == 12, "after 12 frames of 1/60 s")
    check(w.close() == 0, "Esc closes")


def closing(program, folder):
    """The close button asks about unsaved changes, and SIGTERM does not."""
    file = folder / "scenes/small.json"
    before = file.read_text()

    def unchanged():
        w = Window(program, folder, "scenes/small.json", "--resolution", "900x700", settings=False)
        w.user.key("space")
        return w

    def changed():
        """A window with a value that differs from the scene's: its slider is sought from the top downward."""
        w = unchanged()
        for y in range(330, 680, 12):
            w.drag((210, y), (300, y))
            if wait_for(lambda: w.user.title() == "Coalesce: small *", 2):
                return w
        raise RuntimeError("no slider found")

    w = unchanged()
    w.user.close()
    check(wait_for(lambda: not w.alive()), "without changes the close button closes")
    w = changed()
    w.user.move(*AWAY)
    shown = w.shot()
    w.user.close()
    asked = w.until(lambda p: p.part(300, 300, 600, 400) != shown.part(300, 300, 600, 400))
    check(asked and w.alive(), "with changes it asks")
    w.user.key("Escape")
    check(w.until(lambda p: p.part(300, 300, 600, 400) == shown.part(300, 300, 600, 400)), "Esc keeps the window")
    check(file.read_text() == before, "and nothing is saved")
    w.process.send_signal(signal.SIGTERM)
    check(wait_for(lambda: not w.alive()), "SIGTERM closes without asking")


PANEL = 375  # [px] its width where the window has room
CHANGED = (250, 194, 92)  # color of a value that differs from the scene's
AWAY = (895, 5)  # a position where the mouse hovers nothing


def keys(program, folder):
    """Effects of keys and mouse."""
    w = Window(program, folder, "scenes/small.json", "--resolution", "900x700", settings=False)

    def left(picture):
        return picture.part(0, 0, PANEL, picture.height)

    def right(picture):
        # between the line of numbers and the message about the last screenshot
        return picture.part(PANEL, 60, picture.width, picture.height - 150)

    first = w.shot(plain=True)
    check(w.until(lambda p: p.bytes != first.bytes, plain=True), "the simulation runs")
    w.user.key("space")
    still = w.shot(plain=True)
    check(w.shot(plain=True).bytes == still.bytes, "Space pauses it")
    w.user.key("r")
    still = w.until(lambda p: p.bytes != still.bytes, plain=True)
    check(still, "R restarts")
    check(w.shot(plain=True).bytes == still.bytes, "and stays paused")

    # on a slow device several keys come in one frame
    w.in_one_frame("Tab", "Tab")
    w.user.key("3")
    check(w.shot(plain=True).bytes != still.bytes, "after Tab twice no field of the panel takes the keys")
    w.user.key("1")
    check(w.shot(plain=True).bytes == still.bytes, "and 1 shows the liquid surface again")
    w.user.move(*AWAY)
    shown = w.shot()
    w.user.key("Tab")
    check(w.until(lambda p: left(p) != left(shown)), "Tab hides the panel")
    w.user.key("Tab")
    check(w.until(lambda p: left(p) == left(shown)), "and shows it again")
    w.user.key("h")
    check(w.until(lambda p: right(p) != right(shown)), "H shows the help")
    w.user.key("h")
    check(w.until(lambda p: right(p) == right(shown)), "and hides it")

    w.drag((860, 150), (780, 190))
    check(w.shot(plain=True).bytes != still.bytes, "a drag on empty space orbits")
    w.user.key("Home")
    check(w.shot(plain=True).bytes == still.bytes, "Home resets the camera")
    w.user.key("KP_7")
    above = w.shot(plain=True)
    check(above.bytes != still.bytes, "7 of the numeric keypad looks from above")
    w.user.key("KP_5")
    check(w.shot(plain=True).bytes != above.bytes, "5 brings perspective back")
    w.user.key("Home")
    w.click(849, 51)
    check(w.shot(plain=True).bytes != still.bytes, "a click on the center of the axes switches it, too")
    w.user.key("Home")
    check(w.shot(plain=True).bytes == still.bytes, "and Home resets that")
    w.drag((849, 51), (820, 75))
    check(w.shot(plain=True).bytes != still.bytes, "a drag on the axes orbits")
    w.user.key("Home")
    check(w.shot(plain=True).bytes == still.bytes, "as Home takes back")
    w.user.key("3")
    check(w.shot(plain=True).bytes != still.bytes, "3 colors by speed")
    w.user.key("1")
    check(w.shot(plain=True).bytes == still.bytes, "1 shows the liquid surface again")

    w.user.key("F2")
    w.shot()
    w.in_one_frame("Escape", "3")
    check(w.shot(plain=True).bytes != still.bytes, "a key right after Esc works, though Esc closes the scenes")
    w.user.key("1")
    check(w.shot(plain=True).bytes == still.bytes, "as before")

    # there is water near the middle of the viewport
    def card(picture):
        return picture.part(PANEL + 15, picture.height - 330, PANEL + 150, picture.height - 70)

    middle = (PANEL + (900 - PANEL) // 2, 350)
    for x, y in ((0, 0), (6, 0), (0, 6), (-6, 0), (0, -6), (12, 12)):
        w.click(middle[0] + x, middle[1] + y)
        w.user.move(*AWAY)
        picked = w.shot()
        if card(picked) != card(shown):
            break
    check(card(picked) != card(shown), "a click on a particle opens its card")
    w.click(885, 120)
    w.user.move(*AWAY)
    check(w.until(lambda p: card(p) == card(shown)), "a click on empty space closes it")

    # finds a slider from the top of the values downward
    changed = None
    for y in range(330, 680, 12):
        w.user.move(*AWAY)
        before = w.shot()
        w.drag((210, y), (300, y))
        w.user.move(*AWAY)
        after = w.shot()
        if after.has(CHANGED, 0, 290, PANEL, 690):
            changed = y
            break
    check(changed is not None, "a value that is dragged is marked as changed")
    if changed is not None:
        w.user.key("z", ctrl=True)
        check(w.until(lambda p: not p.has(CHANGED, 0, 290, PANEL, 690)), "Ctrl+Z undoes it")

    w.user.key("bracketright")
    time.sleep(0.5)
    check(w.user.title() == "Coalesce: small", "] without Ctrl keeps the scene")
    w.user.key("bracketright", ctrl=True)
    check(wait_for(lambda: w.user.title() == "Coalesce: other"), "Ctrl+] opens the next scene")
    w.user.key("bracketleft", ctrl=True)
    check(wait_for(lambda: w.user.title() == "Coalesce: small"), "Ctrl+[ the one before")
    w.user.move(*AWAY)
    shown = w.shot()
    w.user.key("F2")
    check(w.until(lambda p: right(p) != right(shown)), "F2 shows the scenes")
    w.shot()  # by now the search box has the focus
    for letter in "other":
        w.user.key(letter)
    w.user.key("Return")
    check(wait_for(lambda: w.user.title() == "Coalesce: other"), "typing and Enter open a matching scene")
    check(w.close() == 0, "Esc closes")


def small(program, folder):
    """A window of 500 x 400 shows the viewport, and a button for the panel."""
    w = Window(program, folder, "scenes/small.json", "--resolution", "500x400", settings=False)
    w.user.key("space")
    w.user.move(495, 5)
    narrow = w.shot()
    plain = w.shot(plain=True)
    check((plain.width, plain.height) == (500, 400), f"no panel: {plain.width} x {plain.height}")
    w.click(45, 372)  # the first button of the bar
    check(w.until(lambda p: p.width == 250, plain=True), "the button opens it, half as wide as the window")
    w.user.move(495, 5)
    check(w.shot().part(0, 0, 250, 400) != narrow.part(0, 0, 250, 400), "and it is visible")
    w.user.resize(900, 600)
    check(w.until(lambda p: p.width == 900 - PANEL, plain=True), "a larger window shows it in its default width")
    check(w.close() == 0, "Esc closes")


def changes(program, folder):
    w = Window(program, folder, "scenes/small.json")
    (folder / "scenes/small.json").write_text(SCENE.replace("spacing", "spacign"))
    time.sleep(2)
    check(w.alive(), "a broken scene file does not end the program")
    (folder / "scenes/small.json").write_text(SCENE.replace("0.1 }", "0.15 }"))
    time.sleep(2)
    # tests/view checks the effects; here nothing may crash
    for key, shift in (("n", False), ("n", True), ("comma", False), ("period", False), ("n", True), ("minus", False),
                       ("equal", False), ("b", False), ("v", True), ("F2", False), ("Escape", False), ("r", False),
                       ("h", False), ("h", False), ("Tab", False), ("Tab", False), ("bracketright", False),
                       ("bracketleft", False)):
        w.user.key(key, shift)
    w.user.key("v", held=0.6)
    w.user.key("j", held=0.6)
    check(w.alive(), "no key ends the program")
    w.user.resize(1040, 640)
    w.user.key("9")
    code = w.close()
    check(code == 0, f"it exits with 0: {code} {w.said()[-300:]}")
    kept = json.loads((folder / "config/coalesce/settings.json").read_text())
    check((kept["width"], kept["height"]) == (1040, 640), f"the size is saved: {kept}")
    check(kept["quality"] == "fast", "so is the render quality")

    # a signal that ends the program saves the settings, too
    w = Window(program, folder, "scenes/small.json")
    w.user.key("9")
    w.user.key("9")
    w.shot()
    w.process.send_signal(signal.SIGTERM)
    check(w.process.wait(30) == 0, f"SIGTERM ends it: {w.said()[-300:]}")
    ended = json.loads((folder / "config/coalesce/settings.json").read_text())
    check(ended["quality"] == "standard", f"and saves the settings: {ended}")
    kept = ended

    # values of --set go into the file, and nothing else changes
    (folder / "scenes/small.json").write_text(SCENE)
    w = Window(program, folder, "scenes/small.json", "--set", "materials.water.spacing=0.125")
    w.user.key("s", ctrl=True)
    check(wait_for(lambda: (folder / "scenes/small.json").read_text() == SCENE.replace("0.1 }", "0.125 }")),
          "Ctrl+S saves the scene")
    w.close()

    # options of the command line apply to one run
    w = Window(program, folder, "scenes/small.json", "--resolution", "640x480", "--ground", "none")
    time.sleep(1)
    w.close()
    again = json.loads((folder / "config/coalesce/settings.json").read_text())
    check(again == kept, f"options of the command line are not saved: {again}")

    # without a scene the last one opens; a broken settings file is reported and renamed
    last = kept["recent"][0]
    w = Window(program, folder)
    check(w.title == "Coalesce: " + pathlib.Path(last).stem, f"the last scene opens: {w.title}")
    w.close()
    write_settings(folder, "{ broken")
    w = Window(program, folder, "scenes/small.json")
    check("settings.json.broken" in w.said(), "broken settings are reported")
    w.close()
    check((folder / "config/coalesce/settings.json.broken").read_text() == "{ broken", "and renamed")
    before = (folder / "config/coalesce/settings.json").read_text()
    w = Window(program, folder, "scenes/small.json", settings=False)
    w.user.resize(555, 444)
    w.close()
    check((folder / "config/coalesce/settings.json").read_text() == before, "--no-settings leaves them alone")


def main():
    try:
        WindowInput()
    except OSError as error:
        print(f"skipped: {error}")
        return 77
    program = os.path.abspath(sys.argv[1])
    for part in (keys, small, closing, recording, recording_size, recording_length, changes):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="coalesce_window_"))
        (folder / "scenes").mkdir()
        (folder / "scenes/small.json").write_text(SCENE)
        (folder / "scenes/other.json").write_text(SCENE)
        try:
            part(program, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


sys.exit(main())

"""Input for windows on a virtual display: presses keys, moves the mouse, resizes. Xlib and XTest by ctypes.

    user = WindowInput(); user.wait_window("Coalesce"); user.key("F9"); user.move(600, 300); user.resize(800, 600)
"""
import ctypes
import time


class WindowInput:
    def __init__(self):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.xtst = ctypes.CDLL("libXtst.so.6")
        x = self.x11
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
        x.XDefaultRootWindow.restype = ctypes.c_ulong
        x.XStringToKeysym.restype = ctypes.c_ulong
        x.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        x.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
        x.XFetchName.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(ctypes.c_char_p)]
        x.XQueryTree.argtypes = [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_void_p] * 4
        x.XSetInputFocus.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong]
        x.XResizeWindow.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_uint, ctypes.c_uint]
        x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        x.XInternAtom.restype = ctypes.c_ulong
        x.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
        for name in ("XUnmapWindow", "XMapWindow", "XDestroyWindow"):
            getattr(x, name).argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        self.xtst.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self.xtst.XTestFakeButtonEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self.xtst.XTestFakeMotionEvent.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * 3 + [ctypes.c_ulong]
        self.display = x.XOpenDisplay(None)
        if not self.display:
            raise RuntimeError("no display")
        # a window may close while it is queried
        self.on_error = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0)
        x.XSetErrorHandler(self.on_error)
        self.window = None

    def windows(self):
        """{title: window} of the windows on the screen."""
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x11.XQueryTree(self.display, self.x11.XDefaultRootWindow(self.display), ctypes.byref(root),
                            ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count))
        found = {}
        for k in range(count.value):
            name = ctypes.c_char_p()
            if self.x11.XFetchName(self.display, children[k], ctypes.byref(name)) and name.value:
                found[name.value.decode()] = children[k]
        return found

    def title(self):
        return next((t for t, w in self.windows().items() if w == self.window), None)

    def wait_window(self, title, seconds=60):
        """Waits for a window with this prefix of its title, and gives it the keyboard focus."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for found, window in self.windows().items():
                if found.startswith(title):
                    self.window = window
                    time.sleep(0.5)
                    self.x11.XSetInputFocus(self.display, window, 1, 0)
                    self.x11.XSync(self.display, 0)
                    return found
            time.sleep(0.1)
        raise RuntimeError(f"no window {title}")

    def press(self, name, down):
        code = self.x11.XKeysymToKeycode(self.display, self.x11.XStringToKeysym(name.encode()))
        self.xtst.XTestFakeKeyEvent(self.display, code, int(down), 0)
        self.x11.XSync(self.display, 0)

    def key(self, name, shift=False, held=0.06, ctrl=False):
        others = ["Shift_L"] * shift + ["Control_L"] * ctrl
        for other in others:
            self.press(other, True)
        self.press(name, True)
        time.sleep(held)
        self.press(name, False)
        for other in others:
            self.press(other, False)
        time.sleep(0.06)

    def move(self, x, y):
        self.xtst.XTestFakeMotionEvent(self.display, -1, x, y, 0)
        self.x11.XSync(self.display, 0)
        time.sleep(0.1)

    def button(self, number, down):
        self.xtst.XTestFakeButtonEvent(self.display, number, int(down), 0)
        self.x11.XSync(self.display, 0)
        time.sleep(0.1)

    def click(self, x, y, number=1):
        self.move(x, y)
        self.button(number, True)
        self.button(number, False)

    def resize(self, width, height):
        self.x11.XResizeWindow(self.display, self.window, width, height)
        self.x11.XSync(self.display, 0)
        time.sleep(0.3)

    def close(self):
        """As the close button of a window manager does."""
        class ClientMessage(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                        ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                        ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("room", ctypes.c_char * 96)]
        atom = lambda name: self.x11.XInternAtom(self.display, name, 0)
        event = ClientMessage(type=33, window=self.window, message_type=atom(b"WM_PROTOCOLS"), format=32)
        event.data[0] = atom(b"WM_DELETE_WINDOW")
        self.x11.XSendEvent(self.display, self.window, 0, 0, ctypes.byref(event))
        self.x11.XSync(self.display, 0)

    def hide(self, hidden):
        (self.x11.XUnmapWindow if hidden else self.x11.XMapWindow)(self.display, self.window)
        self.x11.XSync(self.display, 0)
        time.sleep(0.3)

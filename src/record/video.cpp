#include "record/video.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/whole_file.h"

extern char** environ;

namespace coalesce {

namespace fs = std::filesystem;

namespace {

constexpr int kInterval = 100;  // [ms] between two looks at whether the user has stopped the recording

// Looks up a program on the PATH; empty if there is none.
fs::path findProgram(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        std::error_code ignored;
        if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

std::string describeStatus(int status) {
    if (WIFSIGNALED(status))
        return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

// Planes of Y', Cb, Cr with 16 bits in the limited range, from RGBA16: BT.709, table 3. (ffmpeg 5.1 takes
// 255/256 of the range of 16 bits for white, which would make pictures 0.4 % too bright.)
std::vector<uint8_t> toYCbCr(std::span<const uint8_t> rgba) {
    constexpr double kRed = 0.2126, kBlue = 0.0722, kGreen = 1 - kRed - kBlue;
    const size_t pixels = rgba.size() / 8;
    std::vector<uint8_t> planes(6 * pixels);
    const auto store = [&](size_t plane, size_t pixel, double value) {
        const auto code = uint16_t(std::lround(256 * value));
        std::memcpy(&planes[2 * (plane * pixels + pixel)], &code, sizeof code);
    };
    for (size_t k = 0; k < pixels; ++k) {
        uint16_t color[3];
        std::memcpy(color, &rgba[8 * k], sizeof color);
        const double r = color[0] / 65535.0, g = color[1] / 65535.0, b = color[2] / 65535.0;
        const double y = kRed * r + kGreen * g + kBlue * b;
        store(0, k, 16 + 219 * y);
        store(1, k, 128 + 224 * (b - y) / (2 * (1 - kBlue)));
        store(2, k, 128 + 224 * (r - y) / (2 * (1 - kRed)));
    }
    return planes;
}

// Writing to a process that has exited must be an error, not end this program.
void ignoreBrokenPipes() {
    struct sigaction present {};
    sigaction(SIGPIPE, nullptr, &present);
    if (present.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

}  // namespace

void checkVideo(const VideoOptions& o) {
    const std::string ending = o.file.extension().string();
    if (ending != ".mp4" && ending != ".mov")
        fail(Exit::Usage, "--video " + o.file.string(), "unsupported video format",
             "Give a name that ends in .mp4 or .mov, e.g. out.mp4; --images DIR writes single images.");
    if (outputPlace(o.file, "--video").inPlace)
        fail(Exit::Output, "--video " + o.file.string(), "it is a FIFO or a device, and a video is a file",
             "Choose another name.");
    if (o.width % 2 != 0 || o.height % 2 != 0)
        fail(Exit::Usage, fmt::format("--resolution {}x{}", o.width, o.height),
             "a video needs an even width and height",
             fmt::format("Try {}x{}.", o.width + o.width % 2, o.height + o.height % 2));
    if (findProgram("ffmpeg").empty())
        fail(Exit::Output, "--video " + o.file.string(), "ffmpeg, which encodes videos, was not found",
             "Install it (Debian, Ubuntu: apt install ffmpeg), or write images with --images DIR.");
}

VideoEncoder::VideoEncoder(const VideoOptions& o) : m_options(o), m_complaints(std::tmpfile()) {
    checkVideo(o);
    ignoreBrokenPipes();
    m_place = outputPlace(o.file, "--video").file;
    m_part = m_place;
    m_part.replace_filename(m_place.stem().string() + ".part" + o.file.extension().string());

    int ends[2];
    if (!m_complaints || pipe2(ends, O_CLOEXEC) != 0)
        refuse(fmt::format("cannot connect to ffmpeg: {}", std::strerror(errno)));
    m_pipe = ends[1];
    m_lastSignOfLife = std::chrono::steady_clock::now();
    fcntl(m_pipe, F_SETFL, O_NONBLOCK);  // of this end only

    // The pictures are sRGB: primaries of BT.709, transfer of IEC 61966-2-1. They are converted to
    // Y'CbCr with the matrix and the range of BT.709; the tags after the codec only declare all of
    // this. Declared with the transfer of BT.709, the middle tones would be paler (its inverse) or
    // darker (BT.1886) in players that manage colors.
    const bool deep = o.depth > 8;
    std::vector<std::string> arguments = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-xerror", "-y"};
    const auto add = [&](std::initializer_list<std::string> more) {
        arguments.insert(arguments.end(), more);
    };
    add({"-f", "rawvideo", "-pix_fmt", deep ? "yuv444p16le" : "rgba", "-s",
         fmt::format("{}x{}", o.width, o.height), "-r", fmt::format("{:g}", o.fps), "-i", "-"});
    const std::string conversion = deep ? "" : "out_color_matrix=bt709:out_range=tv:";
    add({"-vf", "vflip,scale=" + conversion + "flags=bicubic+accurate_rnd+full_chroma_int", "-an"});
    // 10 bits: H.265, which more players decode than H.264 with 10 bits; the tag is the one that Apple's know
    if (deep)
        add({"-c:v", "libx265", "-preset", "medium", "-crf", "18", "-x265-params", "log-level=error",
             "-tag:v", "hvc1", "-pix_fmt", "yuv420p10le"});
    else
        add({"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-pix_fmt", "yuv420p"});
    add({"-color_range", "tv", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-colorspace",
         "bt709", "-chroma_sample_location", "left", "-movflags", "+faststart+write_colr",
         // a name that starts with a dash is not an option
         m_part.is_absolute() ? m_part.string() : "./" + m_part.string()});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(m_complaints.get()), STDERR_FILENO);
    // default signals and a separate process group: Ctrl+C ends this program, which then ends the encoder
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int result = posix_spawnp(&m_process, "ffmpeg", &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (result != 0) {
        m_process = -1;
        refuse(fmt::format("ffmpeg could not be started: {}", std::strerror(result)));
    }
}

VideoEncoder::~VideoEncoder() {
    if (m_process < 0 && m_pipe < 0) return;
    // not finished: remove the partial video
    if (m_process >= 0) kill(m_process, SIGKILL);
    closeAndWait();
    std::error_code ignored;
    fs::remove(m_part, ignored);
}

void VideoEncoder::write(std::span<const uint8_t> rgba) {
    CHECK_EQ(rgba.size(), bytesPerPixel(m_options.depth) * m_options.width * m_options.height);
    if (m_options.depth == 8)
        send(rgba);
    else
        send(toYCbCr(rgba));
    m_hasFrames = true;
}

void VideoEncoder::send(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_pipe, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {
            // the encoder is the bottleneck, or hangs
            pollfd pipe{m_pipe, POLLOUT, 0};
            if (poll(&pipe, 1, kInterval) == 0) giveUpIfStopped();
            continue;
        }
        if (written < 0) {
            const std::string reason = errno == EPIPE ? "" : fmt::format(" ({})", std::strerror(errno));
            refuse(fmt::format("ffmpeg stopped accepting frames{}: it {}", reason,
                               describeStatus(closeAndWait())));
        }
        m_lastSignOfLife = std::chrono::steady_clock::now();
        bytes = bytes.subspan(size_t(written));
    }
}

void VideoEncoder::finish() {
    end();
    std::error_code failed;
    fs::rename(m_part, m_place, failed);
    if (failed) refuse(failed.message());
}

fs::path VideoEncoder::keep() {
    if (!m_hasFrames || m_process < 0) return {};
    try {
        end();
        return m_part;
    } catch (const Error&) {  // what broke off the recording is told, not this
        return {};
    }
}

// Waits until the encoder has written all frames.
void VideoEncoder::end() {
    if (m_pipe >= 0) close(std::exchange(m_pipe, -1));
    siginfo_t ended{};
    const auto hasEnded = [&] {  // leaves the status to closeAndWait()
        return waitid(P_PID, id_t(m_process), &ended, WEXITED | WNOWAIT | WNOHANG) != 0 || ended.si_pid != 0;
    };
    while (!hasEnded()) {
        giveUpIfStopped();
        poll(nullptr, 0, kInterval / 10);
    }
    const int status = closeAndWait();
    // with a full disk ffmpeg 5.1 prints an error and still exits with 0; it prints errors only
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !complaints().empty())
        refuse("ffmpeg " + describeStatus(status));
}

void VideoEncoder::giveUpIfStopped() {
    m_stopped = m_stopped || (m_options.stop && m_options.stop());
    if (!m_stopped) return;
    const auto now = std::chrono::steady_clock::now();
    std::error_code absent;
    if (const uintmax_t bytes = fs::file_size(m_part, absent); !absent && bytes != m_partBytes)
        m_partBytes = bytes, m_lastSignOfLife = now;
    if (now - m_lastSignOfLife > m_options.patience)
        fail(Exit::Failure, "--video " + m_options.file.string(), "stopped, and ffmpeg does not end",
             "No video was written.");
}

int VideoEncoder::closeAndWait() {
    if (m_pipe >= 0) close(std::exchange(m_pipe, -1));
    int status = 0;
    if (m_process >= 0)
        while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) {
        }
    m_process = -1;
    return status;
}

void VideoEncoder::refuse(const std::string& what) {
    if (m_process >= 0) kill(m_process, SIGKILL);
    closeAndWait();
    std::error_code ignored;
    fs::remove(m_part, ignored);
    const std::string said = complaints();
    fail(Exit::Output, "--video " + m_options.file.string(),
         "no video was written: " + what + (said.empty() ? "" : "\n" + said),
         "Check that the folder exists and is writable, and that the disk has space; --images DIR writes "
         "single images instead.");
}

// the last lines of the error output, indented
std::string VideoEncoder::complaints() {
    if (!m_complaints) return {};
    std::rewind(m_complaints.get());
    std::vector<std::string> lines(1);
    for (int c; (c = std::fgetc(m_complaints.get())) != EOF;) {
        if (c == '\n' || lines.back().size() > 300)
            lines.emplace_back();
        else
            lines.back() += char(c);
    }
    std::string text;
    const size_t first = lines.size() > 6 ? lines.size() - 6 : 0;
    for (size_t k = first; k < lines.size(); ++k)
        if (!lines[k].empty()) text += (text.empty() ? "        " : "\n        ") + lines[k];
    return text;
}

}  // namespace coalesce

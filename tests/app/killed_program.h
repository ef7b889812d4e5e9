// Runs the program and kills it.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace coalesce::test {

// Arguments without quotes. Kills the program as soon as `isDue()` holds, and a delay more, unless it has ended; answers
// whether it was killed. What it has written says how far it is; a time alone would not on a busy machine.
template <class IsDue>
bool runAndKill(const std::string& arguments, IsDue isDue, std::chrono::microseconds delay) {
    std::vector<std::string> words{COALESCE_PROGRAM};
    std::istringstream text(arguments);
    for (std::string word; text >> word;) words.push_back(word);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed = posix_spawn(&child, COALESCE_PROGRAM, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return false;
    int status = 0;
    while (!isDue()) {
        if (waitpid(child, &status, WNOHANG) == child) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(delay);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

inline size_t wholeFilesIn(const std::filesystem::path& folder) {
    std::error_code none;  // a folder that is not there yet, or an entry that is renamed meanwhile
    size_t count = 0;
    for (auto entry = std::filesystem::directory_iterator(folder, none);
         entry != std::filesystem::directory_iterator(); entry.increment(none))
        count += entry->path().string().find(".part") == std::string::npos;
    return count;
}

inline int killsWanted() {
    const char* text = std::getenv("COALESCE_KILLS");  // tools/nightly: 50
    return text ? std::atoi(text) : 4;
}

}  // namespace coalesce::test

// Runs the program and kills it.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace coalesce::test {

// Arguments without quotes. Kills the program after a time unless it has ended; answers whether it was killed.
inline bool runAndKill(const std::string& arguments, std::chrono::microseconds after) {
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
    std::this_thread::sleep_for(after);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

inline int killsWanted() {
    const char* text = std::getenv("COALESCE_KILLS");  // tools/nightly: 50
    return text ? std::atoi(text) : 4;
}

}  // namespace coalesce::test

// Runs the program and captures its output.
#pragma once

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

#include "support/small_scene.h"

namespace coalesce::test {

struct Ran {
    int code;          // exit code; 128 + signal if killed, as in shells
    std::string text;  // both output streams
};

inline Ran shell(const std::string& line) {
    Ran ran{-1, {}};
    std::FILE* pipe = popen((line + " 2>&1").c_str(), "r");
    if (!pipe) return ran;
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) ran.text.append(part, n);
    const int status = pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
}

// prefix: put before the program on the shell command line, e.g. environment variables.
inline Ran coalesceProgram(const std::string& arguments, const std::string& prefix = "") {
    return shell(prefix + " '" COALESCE_PROGRAM "' " + arguments);
}

// Interrupts the program, as Ctrl+C does, as soon as there is a file.
inline Ran interruptedProgram(const std::string& arguments, const std::string& file) {
    return shell("'" COALESCE_PROGRAM "' " + arguments + " 2>&1 & run=$!; while ! test -e " + file +
                 " && kill -0 $run; do sleep 0.01; done; kill -INT $run; wait $run");
}

inline bool says(const Ran& ran, const std::string& words) {
    return ran.text.find(words) != std::string::npos;
}

// A folder with a small scene.
class Program : public ::testing::Test {
protected:
    TemporaryFolder folder;
    std::string small = smallScene(folder).string();
};

}  // namespace coalesce::test

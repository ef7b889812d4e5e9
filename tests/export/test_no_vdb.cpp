// What a program without OpenVDB says about its files.
#include <gtest/gtest.h>

#include "core/error.h"
#include "export/exporter.h"
#include "geometry/mesh/mesh_reader.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

TEST(Vdb, AProgramWithoutItNamesThePackage) {
    const TemporaryFolder folder;
    writeText(folder / "a.vdb", "x");
    const auto advice = [](auto&& action) -> std::string {
        try {
            action();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    const std::string writing =
        advice([&] { Exporter({.formats = {ExportFormat::vdb}, .folder = folder.path()}); });
    const std::string reading = advice([&] { readMesh(folder / "a.vdb"); });
    for (const std::string& message : {writing, reading})
        EXPECT_NE(message.find("libopenvdb-dev"), std::string::npos) << message;
}

}  // namespace
}  // namespace coalesce::test

// What a program without OpenVDB says about its files.
#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

TEST(Vdb, AProgramWithoutItNamesThePackage) {
    const TemporaryFolder folder;
    writeText(folder / "a.vdb", "x");
    try {
        readMesh(folder / "a.vdb");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("libopenvdb-dev"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace coalesce::test

#include "record/exr.h"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfFramesPerSecond.h>
#include <ImfHeader.h>
#include <ImfOutputFile.h>
#include <ImfStandardAttributes.h>
#include <ImfStdIO.h>
#include <half.h>
#include <vector>

#include "core/error.h"
#include "core/whole_file.h"

namespace coalesce {

void writeExr(const std::filesystem::path& file, std::span<const float> rgbz, int width, int height,
              Rows rows, double framesPerSecond, std::span<const PassValues> passes) {
    const size_t count = size_t(width) * size_t(height);
    CHECK_EQ(rgbz.size(), 4 * count);
    std::vector<half> colors(3 * count);
    std::vector<float> distances(count);
    for (size_t y = 0, to = 0; y < size_t(height); ++y) {
        const size_t row = rows == Rows::TopDown ? y : size_t(height) - 1 - y;
        for (size_t from = 4 * row * size_t(width); to < (y + 1) * size_t(width); ++to, from += 4) {
            for (size_t k = 0; k < 3; ++k) colors[3 * to + k] = half(rgbz[from + k]);
            distances[to] = rgbz[from + 3];
        }
    }

    Imf::Header header(width, height);
    header.compression() = Imf::ZIP_COMPRESSION;
    Imf::addChromaticities(header, Imf::Chromaticities());  // of BT.709
    Imf::addFramesPerSecond(header, Imf::guessExactFps(framesPerSecond));
    Imf::FrameBuffer planes;
    for (size_t k = 0; k < 3; ++k) {
        const std::string name(1, "RGB"[k]);
        header.channels().insert(name, Imf::Channel(Imf::HALF));
        planes.insert(name, Imf::Slice(Imf::HALF, reinterpret_cast<char*>(colors.data() + k),
                                       3 * sizeof(half), 3 * sizeof(half) * size_t(width)));
    }
    header.channels().insert("Z", Imf::Channel(Imf::FLOAT));
    planes.insert("Z", Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(distances.data()), sizeof(float),
                                  sizeof(float) * size_t(width)));

    // rows that are stored from bottom to top are read with a negative step
    for (const PassValues& pass : passes) {
        const size_t pixel = size_t(pass.width()) * sizeof(float), row = pixel * size_t(width);
        CHECK_EQ(pass.values.size() * sizeof(float), row * size_t(height));
        const bool up = rows == Rows::BottomUp;
        const char* top =
            reinterpret_cast<const char*>(pass.values.data()) + (up ? row * size_t(height - 1) : 0);
        for (int k = 0; k < pass.width(); ++k) {
            std::string name = kPassNames[size_t(pass.pass)];
            if (pass.width() > 1) name += std::string(".") + "XYZ"[k];
            header.channels().insert(name, Imf::Channel(Imf::FLOAT));
            planes.insert(name, Imf::Slice(Imf::FLOAT, const_cast<char*>(top) + size_t(k) * sizeof(float),
                                           pixel, up ? size_t(0) - row : row));
        }
    }

    Imf::StdOSStream bytes;
    {
        Imf::OutputFile output(bytes, header);
        output.setFrameBuffer(planes);
        output.writePixels(height);
    }  // completes the table of rows
    writeFile(file, bytes.str());
}

}  // namespace coalesce

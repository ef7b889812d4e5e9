#include "view/widgets/free_name.h"

#include <fmt/format.h>

namespace coalesce {

std::filesystem::path freeName(const std::string& scene, const std::string& ending) {
    for (int k = 1;; ++k) {
        const std::filesystem::path name = fmt::format("{}_{:04}{}", scene, k, ending);
        std::error_code ignored;
        if (!std::filesystem::exists(name, ignored)) return name;
    }
}

}  // namespace coalesce

// One function object of several lambdas, for std::visit.
#pragma once

namespace coalesce {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // nvcc requires the deduction guide

}  // namespace coalesce

#pragma once

#include "transfer/record.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace turnout::transfer {

/// What a file that is imported may be.
enum class file_format : uint8_t { csv, jsonl, bitly, yourls, kutt, shlink };

/// Parses the names above; nullopt for anything else.
std::optional<file_format> parse_file_format(std::string_view name) noexcept;

/// Makes the reader of a format. The services' exports may be CSV or JSON.
/// @param notes takes what the user should know of the whole file, such as
///              columns that mean nothing here.
std::unique_ptr<record_reader>
make_reader(file_format format, record_sink sink,
            std::function<void(const std::string&)> notes);

} // namespace turnout::transfer

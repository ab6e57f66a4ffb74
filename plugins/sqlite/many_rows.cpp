#include "plugins/sqlite/many_rows.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

namespace turnout::sqlite {

namespace {

std::string multiply(std::string_view sql, size_t rows) {
  constexpr std::string_view before = "VALUES ";
  const auto begin = sql.find(before) + before.size();
  const auto end = sql.find(')', begin) + 1;
  const auto row = sql.substr(begin, end - begin);
  // Without names, which would have to differ from row to row.
  std::string places = "(?";
  for (auto i = std::count(row.begin(), row.end(), ','); i > 0; --i)
    places += ", ?";
  places += ')';
  std::string result{sql.substr(0, begin)};
  for (size_t i = 0; i < rows; ++i)
    result += (i == 0 ? "" : ", ") + places;
  result += sql.substr(end);
  return result;
}

} // namespace

const char* many_rows_sql(const char* one_row_sql, size_t rows) {
  static std::mutex mtx;
  static std::map<std::pair<const char*, size_t>, std::string> made;
  const std::lock_guard guard{mtx};
  auto& sql = made[{one_row_sql, rows}];
  if (sql.empty())
    sql = multiply(one_row_sql, rows);
  return sql.c_str();
}

} // namespace turnout::sqlite

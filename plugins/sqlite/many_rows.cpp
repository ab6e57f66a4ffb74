#include "plugins/sqlite/many_rows.hpp"

#include <algorithm>
#include <string_view>

namespace turnout::sqlite {

std::string many_rows_sql(const char* one_row_sql, size_t rows) {
  const std::string_view sql{one_row_sql};
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

} // namespace turnout::sqlite

#include "core/rules.hpp"

#include <bitset>

namespace turnout {

namespace {

constexpr size_t letters = 26;

using country_set = std::bitset<letters * letters>;

/// Returns the bit of a code of two upper-case letters, or the set's size.
size_t bit_of(std::string_view code) noexcept {
  if (code.size() != 2 || code[0] < 'A' || code[0] > 'Z' || code[1] < 'A'
      || code[1] > 'Z')
    return letters * letters;
  return static_cast<size_t>(code[0] - 'A') * letters
         + static_cast<size_t>(code[1] - 'A');
}

/// Returns the 249 officially assigned codes of ISO 3166-1 alpha-2.
country_set make_countries() noexcept {
  constexpr std::string_view codes
    = "ADAEAFAGAIALAMAOAQARASATAUAWAXAZ"
      "BABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZ"
      "CACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZ"
      "DEDJDKDMDODZ"
      "ECEEEGEHERESET"
      "FIFJFKFMFOFR"
      "GAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGY"
      "HKHMHNHRHTHU"
      "IDIEILIMINIOIQIRISIT"
      "JEJMJOJP"
      "KEKGKHKIKMKNKPKRKWKYKZ"
      "LALBLCLILKLRLSLTLULVLY"
      "MAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZ"
      "NANCNENFNGNINLNONPNRNUNZ"
      "OM"
      "PAPEPFPGPHPKPLPMPNPRPSPTPWPY"
      "QA"
      "RERORSRURW"
      "SASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZ"
      "TCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZ"
      "UAUGUMUSUYUZ"
      "VAVCVEVGVIVNVU"
      "WFWS"
      "YEYT"
      "ZAZMZW";
  country_set result;
  for (size_t i = 0; i < codes.size(); i += 2)
    result.set(bit_of(codes.substr(i, 2)));
  return result;
}

} // namespace

bool is_country_code(std::string_view code) noexcept {
  static const auto countries = make_countries();
  auto bit = bit_of(code);
  return bit < countries.size() && countries[bit];
}

} // namespace turnout

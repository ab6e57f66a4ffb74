# Helpers for the folders of this project.

add_library(turnout_options INTERFACE)
target_include_directories(turnout_options
                           INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(turnout_options INTERFACE -Wall -Wextra -Wpedantic
                                                 -Werror=return-type)
# Asio asks for this after whatever was included before it, so that without it
# one file frees with free() what another allocated with operator new.
target_compile_definitions(turnout_options
                           INTERFACE ASIO_HAS_STD_ALIGNED_ALLOC=1)
target_link_libraries(turnout_options INTERFACE Threads::Threads)
# Without -fpch-preprocess ccache cannot tell what a precompiled header is made
# of.
# GCC takes one only with the macros that it was made with, among them what
# -pthread defines, and else reads all of it as text, so that is an error.
target_compile_options(
  turnout_options
  INTERFACE -pthread
            $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Werror=invalid-pch>)

# What is precompiled: headers of libraries only, for a change of ours would have
# everything compiled anew. No source may count on it: each includes what it
# needs, and script/tidy reads them without. A PCH is shared by the targets that
# are compiled with the same options.
set(turnout_std_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <filesystem>
    <fstream> <functional> <map> <memory> <mutex> <optional> <set> <sstream>
    <string> <string_view> <system_error> <thread> <tuple> <unordered_map>
    <utility> <variant> <vector> <caf/error.hpp> <caf/expected.hpp>
    <caf/sec.hpp>)
set(turnout_json_headers <boost/json/parse.hpp> <boost/json/serialize.hpp>
                         <boost/json/value.hpp>)
set(turnout_actor_headers
    <caf/actor_system.hpp> <caf/event_based_actor.hpp> <caf/send.hpp>
    <caf/stateful_actor.hpp> <caf/typed_event_based_actor.hpp>)

# turnout_library(<folder> [PUBLIC <libs>...] [PRIVATE <libs>...]) makes the
# static library turnout_<folder> of every source in the calling folder.
function(turnout_library folder)
  cmake_parse_arguments(arg "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_library(turnout_${folder} STATIC ${sources})
  target_link_libraries(
    turnout_${folder}
    PUBLIC turnout_options ${arg_PUBLIC}
    PRIVATE ${arg_PRIVATE})
endfunction()

# turnout_test(<folder> <libs>... [HEADERS <target>]) makes test_<folder> of
# tests/<folder>, with the precompiled headers of that target, and registers each
# of its test cases with ctest.
function(turnout_test folder)
  file(GLOB sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  add_executable(test_${folder} ${sources})
  cmake_parse_arguments(arg "" "HEADERS" "" ${ARGN})
  if(NOT arg_HEADERS)
    set(arg_HEADERS test_headers)
  endif()
  target_link_libraries(
    test_${folder} PRIVATE turnout_options ${arg_UNPARSED_ARGUMENTS}
                           Boost::json GTest::gmock GTest::gtest_main)
  target_precompile_headers(test_${folder} REUSE_FROM ${arg_HEADERS})
  turnout_unit_tests(${folder})
endfunction()

# turnout_test_headers(<name> <header>...) makes the precompiled headers <name>
# of executables for GoogleTest.
function(turnout_test_headers name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  # No executable, for which others would wait until it is linked; but compiled
  # like one.
  add_library(${name} OBJECT ${source})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
  target_link_libraries(${name} PRIVATE turnout_options CAF::core Boost::json
                                        GTest::gmock)
  target_precompile_headers(${name} PRIVATE ${turnout_std_headers}
                            ${turnout_json_headers} <gmock/gmock.h>
                            <gtest/gtest.h> ${ARGN})
endfunction()

# turnout_unit_tests(<folder>) registers each test case of test_<folder> with
# ctest, under the label that script/test takes them by.
function(turnout_unit_tests folder)
  gtest_discover_tests(
    test_${folder}
    TEST_PREFIX "${folder}."
    DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT 300 LABELS unit)
  add_dependencies(unit_tests test_${folder})
endfunction()

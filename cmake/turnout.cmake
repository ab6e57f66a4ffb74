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

# turnout_test(<folder> <libs>...) makes test_<folder> of tests/<folder> and
# registers each of its test cases with ctest.
function(turnout_test folder)
  file(GLOB sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  add_executable(test_${folder} ${sources})
  target_link_libraries(test_${folder} PRIVATE turnout_options ${ARGN}
                                               GTest::gmock GTest::gtest_main)
  turnout_unit_tests(${folder})
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

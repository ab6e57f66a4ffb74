cmake_minimum_required(VERSION 3.25)
# Writes OUTPUT, a header that defines TURNOUT_COMMIT for the sources in
# SOURCE_DIR, unless it says so already.
set(commit "")
find_program(git git)
if(git AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TURNOUT_COMMIT \"@commit@\"\n"
     @ONLY)

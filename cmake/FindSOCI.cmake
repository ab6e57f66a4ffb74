# Finds Debian's libsoci (which ships no CMake package): targets SOCI::core and
# SOCI::sqlite3 (SOCI::postgresql where its headers are installed).
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_CORE_LIBRARY soci_core)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI REQUIRED_VARS SOCI_CORE_LIBRARY
                                                     SOCI_INCLUDE_DIR)
if(SOCI_FOUND AND NOT TARGET SOCI::core)
  add_library(SOCI::core UNKNOWN IMPORTED)
  set_target_properties(
    SOCI::core
    PROPERTIES IMPORTED_LOCATION ${SOCI_CORE_LIBRARY}
               INTERFACE_INCLUDE_DIRECTORIES ${SOCI_INCLUDE_DIR}
               INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SOCI_INCLUDE_DIR})
  foreach(backend sqlite3 postgresql)
    find_library(SOCI_${backend}_LIBRARY soci_${backend})
    if(SOCI_${backend}_LIBRARY)
      add_library(SOCI::${backend} UNKNOWN IMPORTED)
      set_target_properties(
        SOCI::${backend} PROPERTIES IMPORTED_LOCATION
                                    ${SOCI_${backend}_LIBRARY})
      target_link_libraries(SOCI::${backend} INTERFACE SOCI::core)
    endif()
    mark_as_advanced(SOCI_${backend}_LIBRARY)
  endforeach()
endif()
mark_as_advanced(SOCI_INCLUDE_DIR SOCI_CORE_LIBRARY)

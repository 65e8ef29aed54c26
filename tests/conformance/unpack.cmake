# Unpacks ARCHIVE into FOLDER unless that was done before.
set(stamp ${FOLDER}/.unpacked)
if(EXISTS ${stamp} AND NOT ${ARCHIVE} IS_NEWER_THAN ${stamp})
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${FOLDER})
file(TOUCH ${stamp})

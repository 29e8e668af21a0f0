# cantik_add_operators(NAME FILES...): a library of operators, for cantik.load_operators. It needs Cantik's headers and no symbol of its library.
function(cantik_add_operators name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Cantik::headers)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON PREFIX "" SUFFIX ".so")
  if(ARGC GREATER 3)  # what every file includes, read once
    target_precompile_headers(${name} PRIVATE <cantik/op.h>)
  endif()
endfunction()

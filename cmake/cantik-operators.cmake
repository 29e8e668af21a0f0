# cantik_add_operators(NAME FILES...): a library of operators, for cantik.load_operators. It needs Cantik's headers and no symbol of its library.
function(cantik_add_operators name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Cantik::headers)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON PREFIX "" SUFFIX ".so")
endfunction()

# cantik_add_backend(NAME FILES...): a library with a backend, for cantik.load_backend. It needs the same.
function(cantik_add_backend name)
  cantik_add_operators(${name} ${ARGN})
endfunction()

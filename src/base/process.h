// The process that this code is in, as the system knows it.
#pragma once

#include <cstdint>
#include <string>

namespace cantik {

int64_t process_id();
// The name of the machine.
std::string host_name();
// The file of the program that started this process; empty where the system does not tell.
std::string program_of_parent();
// Resident memory in bytes; 0 where the system does not tell.
int64_t resident_bytes();
// Whether somebody may be looking at what goes to the standard error.
bool is_error_output_seen();
// As many open files and connections as the system lets the process have.
void allow_most_files();

}  // namespace cantik

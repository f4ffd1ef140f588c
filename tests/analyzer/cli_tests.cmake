# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# What iket-analyze does with whole files, bad files and wrong command lines: see iket_add_cli_test.

# cmake-format: off

set(nothing "^$")

# Whole files.
iket_add_cli_test("trace beside the input, report printed" INPUTS whole.bin ARGUMENTS whole.bin FILES whole.json
  OUT "^gemm\n.* wait for data +wait +consumer +16 .*> consumer: waits [0-9.]+ % of its time in 'wait for data'; during"
  ERR "${nothing}")
iket_add_cli_test("where the trace is and how to open it" INPUTS whole.bin ARGUMENTS whole.bin FILES whole.json
  OUT "whole.json \\([0-9.]+ [A-Za-z]+\\)\n        see it: https://ui.perfetto.dev, 'Open trace file'\n$")
iket_add_cli_test("output elsewhere" INPUTS whole.bin ARGUMENTS whole.bin -o a_folder/x.json FILES a_folder/x.json)
iket_add_cli_test("report as JSON" INPUTS whole.bin ARGUMENTS whole.bin --report r.json FILES whole.json r.json)
iket_add_cli_test("report as CSV" INPUTS whole.bin ARGUMENTS whole.bin --report r.csv FILES whole.json r.csv)
iket_add_cli_test("report as Markdown" INPUTS whole.bin ARGUMENTS whole.bin --report r.md FILES whole.json r.md)
iket_add_cli_test("packed trace" INPUTS whole.bin ARGUMENTS whole.bin -o x.json.gz FILES x.json.gz)
iket_add_cli_test("report only" INPUTS whole.bin ARGUMENTS --no-trace whole.bin OUT "^gemm\n")
iket_add_cli_test("quiet" INPUTS whole.bin ARGUMENTS -q whole.bin FILES whole.json OUT "${nothing}" ERR "${nothing}")
iket_add_cli_test("strict, nothing damaged" INPUTS whole.bin ARGUMENTS --strict -q whole.bin FILES whole.json)
iket_add_cli_test("narrow" INPUTS whole.bin ARGUMENTS --columns 60 whole.bin FILES whole.json
  OUT "not shown in this width")
iket_add_cli_test("wider scope" INPUTS whole.bin ARGUMENTS --scope gpu --no-trace whole.bin --report r.json FILES r.json)
iket_add_cli_test("wrapped rings" INPUTS wrapped.bin ARGUMENTS wrapped.bin FILES wrapped.json
  OUT "records lost, overwritten in 4 of 4 warps")
iket_add_cli_test("rings that keep the first records" INPUTS keep_first.bin ARGUMENTS keep_first.bin FILES keep_first.json
  OUT "1 of 2 CTAs traced .every 2nd CTA.*tracing took an estimated [0-9.]+ %.*records lost, not stored in full rings")
iket_add_cli_test("checked build" INPUTS checked.bin ARGUMENTS checked.bin FILES checked.json
  OUT "not to be trusted.*gemm.cu:22 'wait for data': 12 events ran without the leader lane")
iket_add_cli_test("compiled out" INPUTS compiled_out.bin ARGUMENTS compiled_out.bin FILES compiled_out.json
  OUT "! compiled out")
iket_add_cli_test("several files" INPUTS whole.bin wrapped.bin ARGUMENTS whole.bin wrapped.bin FILES merged.json
  OUT "^gemm\n  in whole.bin .*gemm\n  in wrapped.bin .*records lost, overwritten in 4 of 4 warps")
iket_add_cli_test("one of several is missing" INPUTS whole.bin ARGUMENTS whole.bin missing.bin EXIT 3
  ERR "'missing.bin': cannot be read: ")
iket_add_cli_test("one of several is damaged" INPUTS whole.bin damaged.bin ARGUMENTS whole.bin damaged.bin FILES merged.json
  ERR "warning: damaged.bin: malformed at offset [0-9]+")
iket_add_cli_test("nested too deep" INPUTS nested.bin ARGUMENTS nested.bin FILES nested.json
  OUT "! 88 ranges or marks left out" ERR "warning: 88 ranges or marks left out")
iket_add_cli_test("help" ARGUMENTS --help OUT "TRACE.*Examples:.*Exit codes:")
iket_add_cli_test("version" ARGUMENTS --version OUT "^iket-analyze [0-9]+[.][0-9]+[.][0-9]+ ")

# A profiler's pages.
set(counters ${PROJECT_SOURCE_DIR}/tests/counters/recorded)
iket_add_cli_test("hardware counters" ARGUMENTS ${counters}/spills/trace.bin -o x.json --report r.json
  --ncu ${counters}/spills/raw.csv.gz --ncu ${counters}/spills/source.csv.gz FILES x.json r.json
  OUT "hardware counters of .*accumulate +[0-9.]+ % +long_sb .*> 'accumulate' spills registers" ERR "${nothing}")
iket_add_cli_test("hardware counters as Markdown" ARGUMENTS -q --no-trace ${counters}/spills/trace.bin --report r.md
  --ncu ${counters}/spills/raw.csv.gz --ncu ${counters}/spills/source.csv.gz FILES r.md)
iket_add_cli_test("hardware counters as CSV" ARGUMENTS -q --no-trace ${counters}/spills/trace.bin --report r.csv
  --ncu ${counters}/spills/raw.csv.gz --ncu ${counters}/spills/source.csv.gz FILES r.csv)
iket_add_cli_test("hardware counters of several kernels" ARGUMENTS ${counters}/all/trace.bin -o x.json --group-by sm
  --ncu ${counters}/all/raw.csv.gz --ncu ${counters}/all/sass.csv.gz FILES x.json
  OUT "counters of <unnamed>::spills.*counters of <unnamed>::bank_conflicts.*counters of <unnamed>::clean")
iket_add_cli_test("hardware counters of a launch" ARGUMENTS ${counters}/all/trace.bin -o x.json --launch 2
  --ncu ${counters}/all/raw.csv.gz FILES x.json OUT "^bank_conflicts\n.*counters of <unnamed>::bank_conflicts")
iket_add_cli_test("hardware counters by another name" INPUTS whole.bin ARGUMENTS --no-trace whole.bin --ncu-kernel spills
  --ncu ${counters}/spills/raw.csv.gz OUT "counters of <unnamed>::spills.*the profiler saw it with grid 264 x 1 x 1")
iket_add_cli_test("hardware counters of no launch" INPUTS whole.bin ARGUMENTS --no-trace whole.bin
  --ncu ${counters}/spills/raw.csv.gz OUT "^gemm\n" EXIT 3
  ERR "warning: --ncu: no kernel of the pages fits a launch of the trace; the pages have <unnamed>::spills")
iket_add_cli_test("hardware counters of a missing page" INPUTS whole.bin ARGUMENTS --no-trace whole.bin --ncu missing.csv
  EXIT 3 OUT "^gemm\n" ERR "warning: cannot open 'missing.csv'")
iket_add_cli_test("hardware counters of one page of two" ARGUMENTS --no-trace ${counters}/spills/trace.bin
  --ncu missing.csv --ncu ${counters}/spills/raw.csv.gz
  OUT "hardware counters of <unnamed>::spills" ERR "warning: cannot open 'missing.csv'")
iket_add_cli_test("hardware counters of one page of two, strict" ARGUMENTS --no-trace ${counters}/spills/trace.bin --strict
  --ncu missing.csv --ncu ${counters}/spills/raw.csv.gz EXIT 3 OUT "${nothing}" ERR "cannot open 'missing.csv'")
iket_add_cli_test("hardware counters of one kernel of three" ARGUMENTS --no-trace ${counters}/all/trace.bin
  --ncu ${counters}/spills/raw.csv.gz OUT "hardware counters of <unnamed>::spills"
  ERR "warning: --ncu: the pages have no hardware counters of bank_conflicts .grid 264 x 1 x 1, block 256 x 1 x 1., clean")
iket_add_cli_test("a trace behind its pages" INPUTS whole.bin ARGUMENTS --no-trace --ncu missing.csv whole.bin EXIT 3
  OUT "^gemm\n" ERR "warning: cannot open 'missing.csv'")
iket_add_cli_test("hardware counters of no launch, and a gate that fails" INPUTS whole.bin ARGUMENTS --no-trace whole.bin
  --ncu ${counters}/spills/raw.csv.gz --fail-on "stage:wait for data:count>0" EXIT 1 OUT "^gemm\n" ERR "gate failed")
iket_add_cli_test("hardware counters that are doubted" ARGUMENTS --no-trace ${counters}/ws_gemm_depth1/trace.bin
  --report r.json --ncu ${counters}/ws_gemm_depth4/raw.csv.gz FILES r.json
  OUT "! it took [0-9]+ us under the profiler and [0-9]+ us in the trace.*what bounds it is not concluded")
iket_add_cli_test("a page twice" INPUTS whole.bin ARGUMENTS whole.bin --ncu x.csv --ncu x.csv EXIT 2
  ERR "'x.csv' is named twice as a page")
iket_add_cli_test("no page for a kernel" INPUTS whole.bin ARGUMENTS whole.bin --ncu-kernel gemm EXIT 2
  ERR "--ncu-kernel needs --ncu")

# A kernel that hangs, and names from another trace.
iket_add_cli_test("a hang" INPUTS hang.bin ARGUMENTS hang.bin --report r.json --columns 200 FILES hang.json r.json
  OUT "^ws_gemm: where its warps stood at the snapshot, 5.00 s after it began\n! 1 consumer warp in 'wait for data' .ws_gemm.cu:88., payload 16, for 5.00 s .CTA 77,0,0 warp 2.\n.*> 527 consumer warps of 132 CTAs in 'wait for data' .ws_gemm.cu:88., payload 17, for 5.00 s\n.*380 CTAs had not begun.*\nws_gemm\n.*duration 5.00 s so far"
  ERR "${nothing}")
iket_add_cli_test("a hang as Markdown" INPUTS hang.bin ARGUMENTS -q --no-trace hang.bin --report r.md FILES r.md)
iket_add_cli_test("a hang as CSV" INPUTS hang.bin ARGUMENTS -q --no-trace hang.bin --report r.csv FILES r.csv)
iket_add_cli_test("a hang, narrow" INPUTS hang.bin ARGUMENTS --columns 60 hang.bin FILES hang.json OUT "^ws_gemm: where")
iket_add_cli_test("a crash without names" INPUTS crash.bin ARGUMENTS --no-trace crash.bin
  OUT "^ws_gemm: where its warps stood when a kernel failed; .*warps? of role 'site 0x[0-9a-f]+' in 'site 0x[0-9a-f]+'" ERR "warning: [0-9]+ sites without a name in the file, shown as work, which may be waits: --sites takes names")
iket_add_cli_test("a crash with names of another trace" INPUTS crash.bin hang.bin
  ARGUMENTS --no-trace --columns 200 crash.bin --sites hang.bin
  OUT "^ws_gemm: where its warps stood when a kernel failed; .*2 CTAs x 4 consumer warps in 'wait for data' .ws_gemm.cu:88., payload 17,"
  ERR "warning: 6 sites without a name in the file: taken from 'hang.bin' by their addresses alone: they lie there at the same ones, and nothing states that it is the same binary\n$")
iket_add_cli_test("names of another binary" INPUTS crash.bin compiled_out.bin ARGUMENTS --no-trace crash.bin --sites compiled_out.bin
  OUT "'site 0x" ERR "no place in 'compiled_out.bin' fits: it lacks some of them, as those that only a failure reaches, or is of another binary")
iket_add_cli_test("names of a missing file" INPUTS crash.bin ARGUMENTS crash.bin --sites missing.bin
  EXIT 3 ERR "'missing.bin': cannot be read: ")
iket_add_cli_test("names of a damaged file" INPUTS crash.bin damaged.bin ARGUMENTS --no-trace crash.bin --sites damaged.bin
  OUT "! names may be missing in 'damaged.bin': malformed at offset [0-9]+" ERR "warning: names may be missing in 'damaged.bin': malformed")
iket_add_cli_test("names of a damaged file, strict" INPUTS crash.bin damaged.bin
  ARGUMENTS --no-trace --strict crash.bin --sites damaged.bin EXIT 3 ERR "'damaged.bin': malformed at offset [0-9]+")
iket_add_cli_test("a gate on a hang" INPUTS hang.bin
  ARGUMENTS --no-trace hang.bin --fail-on "stage:wait for data:max>1s" --report r.json FILES r.json
  OUT "gate passed: stage:wait for data:max>1s: [0-9]+ ns in 'ws_gemm'; 1 launch had not ended: ranges that[ \n]+are still open do not count")
iket_add_cli_test("names that would be overwritten" INPUTS crash.bin hang.bin
  ARGUMENTS crash.bin --sites hang.bin -o ./hang.bin EXIT 2 ERR "is the trace with the sites and would be overwritten")

# A part of the trace.
iket_add_cli_test("one CTA drawn, all reported" INPUTS whole.bin ARGUMENTS whole.bin --cta 1 --report r.json
  FILES whole.json r.json OUT "2 of 2 CTAs traced.*of [0-9]+ ranges, marks and counters were asked for")
iket_add_cli_test("on SMs" INPUTS whole.bin ARGUMENTS whole.bin --group-by sm FILES whole.json)
iket_add_cli_test("some time" INPUTS whole.bin ARGUMENTS whole.bin --from 3us --to 9us --stage "load|wait" FILES whole.json)
iket_add_cli_test("one launch of several" INPUTS whole.bin wrapped.bin
  ARGUMENTS whole.bin wrapped.bin --launch 2 FILES merged.json OUT "^gemm\n  in wrapped.bin ")
iket_add_cli_test("one launch reported" INPUTS whole.bin ARGUMENTS --no-trace whole.bin --launch gemm OUT "^gemm\n")
iket_add_cli_test("limited size" INPUTS whole.bin ARGUMENTS whole.bin --max-json 12k --report r.json
  FILES whole.json r.json OUT "1 of 2 CTAs drawn, evenly spaced.*--max-json none draws all")
iket_add_cli_test("no such role" INPUTS whole.bin ARGUMENTS whole.bin --role writer
  EXIT 2 ERR "--role fits no warp: the roles are consumer, producer")
iket_add_cli_test("no such launch" INPUTS whole.bin ARGUMENTS whole.bin --launch 2 EXIT 2 ERR "they are 1 'gemm'")
iket_add_cli_test("no such stage" INPUTS whole.bin ARGUMENTS whole.bin --stage "^x" EXIT 2 ERR "they are .*'load tile'")
iket_add_cli_test("no regular expression" INPUTS whole.bin ARGUMENTS whole.bin --stage "*" EXIT 2 ERR "--stage takes a reg")

# Before and after.
iket_add_cli_test("against itself" INPUTS whole.bin ARGUMENTS whole.bin --baseline whole.bin --report r.json
  FILES whole.json r.json OUT "compared with whole.bin\n  gemm\n  duration [0-9.]+ us, was [0-9.]+ us: 0.0 %.*below 5"
  ERR "${nothing}")
iket_add_cli_test("against slower consumers" INPUTS many.bin slower.bin
  ARGUMENTS slower.bin --baseline many.bin --no-trace --report r.csv FILES r.csv
  OUT "self per CTA.*\n  compute +work +4.[34][0-9] us +4.[89][0-9] us +.1[01].[0-9] % .* significant\n  [^\n]* noise\n")
iket_add_cli_test("comparison as Markdown" INPUTS many.bin slower.bin
  ARGUMENTS slower.bin --baseline many.bin --no-trace -q --report r.md FILES r.md)
iket_add_cli_test("a gate that passes" INPUTS many.bin slower.bin
  ARGUMENTS slower.bin --baseline many.bin --no-trace --fail-on "stage:compute:p50>+20%"
  OUT "gate passed: stage:compute:p50>.20%: 6[0-9]+ ns in 'gemm', was 5[0-9]+ ns: .1[0-9].[0-9] %" ERR "${nothing}")
iket_add_cli_test("a gate that fails" INPUTS many.bin slower.bin
  ARGUMENTS slower.bin --baseline many.bin --no-trace -q --fail-on "stage:compute:p50>+2%" --fail-on "launch:duration>1us"
  --fail-on "role:consumer:work<+0ns" --report r.json FILES r.json EXIT 1 OUT "${nothing}"
  ERR "gate failed: stage:compute:p50>.2%: 6[0-9]+ ns in 'gemm', was 5[0-9]+ ns: .1[0-9].[0-9] %\n.*gate failed: launch:duration>1us: ")
iket_add_cli_test("a gate without a baseline" INPUTS whole.bin ARGUMENTS whole.bin --no-trace
  --fail-on "stage:compute:share>1%" EXIT 1 OUT "gate failed" ERR "gate failed: stage:compute:share>1%: [0-9.]+ % in 'gemm'")
iket_add_cli_test("a gate on a change without a baseline" INPUTS whole.bin ARGUMENTS whole.bin
  --fail-on "stage:compute:p50>+1%" EXIT 2 ERR "is about a change, which needs --baseline")
iket_add_cli_test("a gate that is none" INPUTS whole.bin ARGUMENTS whole.bin --fail-on "stage:compute:p51>1us"
  EXIT 2 ERR "its figures are self, total, mean, min, p50, p90, p99, max, share, count, not 'p51'")
iket_add_cli_test("a gate on no stage" INPUTS whole.bin ARGUMENTS whole.bin --fail-on "stage:compote:p50>1us"
  EXIT 2 OUT "wait for data" FILES whole.json ERR "fits nothing: there are 'compute', 'copy in flight', 'load tile', 'wait for data', 'wait for free slot'")
iket_add_cli_test("a baseline that is missing" INPUTS whole.bin ARGUMENTS whole.bin --baseline missing.bin
  EXIT 3 ERR "'missing.bin': cannot be read: ")
iket_add_cli_test("a baseline that would be overwritten" INPUTS whole.bin wrapped.bin
  ARGUMENTS whole.bin --baseline wrapped.bin -o ./wrapped.bin EXIT 2 ERR "is the baseline and would be overwritten")
iket_add_cli_test("a seed for nothing" INPUTS whole.bin ARGUMENTS whole.bin --seed 3 EXIT 2 ERR "needs --baseline")
foreach(seed IN ITEMS -1 99999999999999999999 0x10 1e3)
  iket_add_cli_test("a seed that is none: ${seed}" INPUTS whole.bin wrapped.bin
    ARGUMENTS whole.bin --baseline wrapped.bin --seed=${seed} EXIT 2 ERR "--seed takes a number from 0 to 18446744073709551615")
endforeach()
iket_add_cli_test("a gate that cannot be judged keeps the report" INPUTS whole.bin
  ARGUMENTS whole.bin --no-trace --fail-on "stage:compote:p50>1us" --report kept.json EXIT 2 ERR "fits nothing"
  OUT "wait for data" FILES kept.json)
iket_add_cli_test("another kernel alone" INPUTS whole.bin nested.bin
  ARGUMENTS whole.bin --baseline nested.bin --no-trace OUT "compared with the kernel 'nested', the only one of the baseline")

# Files that can be read in part.
iket_add_cli_test("truncated file" INPUTS truncated.bin ARGUMENTS truncated.bin FILES truncated.json
  OUT "^gemm\n" ERR "warning: truncated at offset [0-9]+")
iket_add_cli_test("truncated file, strict" INPUTS truncated.bin ARGUMENTS --strict truncated.bin
  EXIT 3 ERR "truncated at offset [0-9]+: ")
iket_add_cli_test("damaged file" INPUTS damaged.bin ARGUMENTS damaged.bin FILES damaged.json
  OUT "^gemm\n" ERR "warning: malformed at offset [0-9]+")
iket_add_cli_test("damaged file, strict" INPUTS damaged.bin ARGUMENTS damaged.bin --strict
  EXIT 3 ERR "malformed at offset [0-9]+: ")

# Files that cannot.
iket_add_cli_test("missing file" ARGUMENTS missing.bin EXIT 3 ERR "'missing.bin': cannot be read: ")
iket_add_cli_test("empty file" INPUTS empty.bin ARGUMENTS empty.bin EXIT 3 ERR "'empty.bin': ")
iket_add_cli_test("foreign file" INPUTS foreign.bin ARGUMENTS foreign.bin EXIT 3 ERR "not an IKET file")
iket_add_cli_test("newer major" INPUTS newer.bin ARGUMENTS newer.bin EXIT 3 ERR "version")
iket_add_cli_test("folder as input" ARGUMENTS a_folder EXIT 3
  ERR "'a_folder': .*it is a directory, without the traced.bin of a capture")

# Outputs that cannot be written.
iket_add_cli_test("output in no folder" INPUTS whole.bin ARGUMENTS whole.bin -o none/x.json
  EXIT 4 ERR "cannot write 'none/x.json': ")
iket_add_cli_test("folder as output" INPUTS whole.bin ARGUMENTS whole.bin -o a_folder.json
  EXIT 4 ERR "cannot write 'a_folder.json': it is a directory")
iket_add_cli_test("device full, but the report is printed" INPUTS whole.bin ARGUMENTS whole.bin -o full.json
  EXIT 4 OUT "^gemm\n.*consumer: waits " ERR "cannot write 'full.json': ")
iket_add_cli_test("device full for the report, so no trace either" INPUTS whole.bin ARGUMENTS whole.bin --report full.json
  EXIT 4 ERR "cannot write 'full.json': ")
iket_add_cli_test("report not writable, so no trace either" INPUTS whole.bin
  ARGUMENTS whole.bin --report none/r.json EXIT 4 ERR "cannot write 'none/r.json': ")

# Wrong usage.
iket_add_cli_test("no trace given" EXIT 2 ERR "no trace given")
iket_add_cli_test("a trace twice" INPUTS whole.bin ARGUMENTS whole.bin ./whole.bin EXIT 2 ERR "'./whole.bin' is named twice")
iket_add_cli_test("output is the second input" INPUTS whole.bin wrapped.bin ARGUMENTS whole.bin wrapped.bin -o wrapped.bin
  EXIT 2 ERR "'wrapped.bin' is the trace itself")
iket_add_cli_test("unknown option" INPUTS whole.bin ARGUMENTS whole.bin --frobnicate EXIT 2 ERR "--frobnicate")
iket_add_cli_test("report of unknown kind" INPUTS whole.bin ARGUMENTS whole.bin --report r.txt
  EXIT 2 ERR "ends in .json or .csv or .md, not 'r.txt'")
iket_add_cli_test("output is the input" INPUTS whole.bin ARGUMENTS whole.bin -o ./whole.bin
  EXIT 2 ERR "would be overwritten")

# cmake-format: on

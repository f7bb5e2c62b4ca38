"""Lines of PTX and SASS, and the lines of source that they belong to."""

from __future__ import annotations

from accache.ptx.text.listing import CodeLine, ptx_lines, sass_lines

PTX = """\
.visible .entry _Z3addPf(
	.param .u64 p
)
{
	.reg .b64 	%rd<3>;
	.loc	1 7 5
	ld.param.u64 	%rd1, [p];
	.loc	2 90 1, function_name $L__info_string0, inlined_at 1 8 9
	st.global.u32 	[%rd1], %r1;

$L__BB0_1:
	.loc	2 91 1
	ret;
}
.entry other(
)
{
	.loc	1 9 1
	ret;
}
	.file	1 "/tmp/folder/prog.c"
	.file	2 "/usr/include/helper.cuh"
"""
SASS = """\
	.section	.text._Z10add_singlePf,"ax",@progbits
	//## File "/tmp/folder/prog.c", line 12
        /*0000*/                   EXIT ;
	.section	.text._Z3addPf,"ax",@progbits
_Z3addPf:
	//## File "/tmp/folder/prog.c", line 7
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
	//## File "/usr/include/helper.cuh", line 90
        /*0010*/               @P0 BRA `(.L_x_0) ;
	.section	.nv.info,"",@SHT_CUDA_INFO
        /*0020*/                   NOP ;
"""


def test_ptx_lines_belong_to_the_line_they_were_inlined_at() -> None:
    lines = list(ptx_lines(PTX, "prog.c", {"add"}))
    assert [line for line in lines if line.source] == [
        CodeLine("    ld.param.u64    %rd1, [p];", 7),
        CodeLine("    st.global.u32   [%rd1], %r1;", 8),
    ]
    assert [line.text for line in lines][-3:] == ["$L__BB0_1:", "    ret;", "}"]  # of a header: no line of the program
    assert not any("other" in line.text or ".loc" in line.text for line in lines)


def test_sass_lines_stand_in_the_order_of_the_kernels() -> None:
    assert list(sass_lines(SASS, "prog.c", ["add", "add_single"])) == [
        CodeLine("_Z3addPf:", 0),
        CodeLine("    LDC R1, c[0x0][0x28] ;", 7),
        CodeLine(".L_x_0:", 0),
        CodeLine("    @P0 BRA `(.L_x_0) ;", 0),
        CodeLine("_Z10add_singlePf:", 0),
        CodeLine("    EXIT ;", 12),
    ]

// Forbids the kernel's keyrings in the sandbox: no namespace keeps them apart, so jobs could read Croft's and each other's.

/** Instructions of the kernel's packet filter, as seccomp takes them. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_GREATER_EQUAL = 0x35;
const RETURN = 0x06;

/** Where the kernel shows the number of the call and the machine it is made for. */
const NUMBER = 0;
const MACHINE = 4;

const ALLOW = 0x7f_ff_00_00;
const REFUSE = 0x00_05_00_01; // as EPERM

const X86_64 = 0xc0_00_00_3e;
const I386 = 0x40_00_00_03;
const ARM64 = 0xc0_00_00_b7;
/** Calls of a third way to use an x86-64 processor have this bit. */
const X32 = 0x40_00_00_00;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** `add_key`, `request_key` and `keyctl` have three numbers in a row everywhere. */
const PROGRAMS: Partial<Record<NodeJS.Architecture, readonly Instruction[]>> = {
  x64: [
    [LOAD, 0, 0, MACHINE],
    [JUMP_EQUAL, 0, 4, X86_64],
    [LOAD, 0, 0, NUMBER],
    [JUMP_GREATER_EQUAL, 7, 0, X32],
    [JUMP_GREATER_EQUAL, 0, 5, 248],
    [JUMP_GREATER, 4, 5, 250],
    [JUMP_EQUAL, 0, 4, I386],
    [LOAD, 0, 0, NUMBER],
    [JUMP_GREATER_EQUAL, 0, 1, 286],
    [JUMP_GREATER, 0, 1, 288],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ],
  arm64: [
    [LOAD, 0, 0, MACHINE],
    [JUMP_EQUAL, 0, 4, ARM64],
    [LOAD, 0, 0, NUMBER],
    [JUMP_GREATER_EQUAL, 0, 1, 217],
    [JUMP_GREATER, 0, 1, 219],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ],
};

/** Undefined for processors whose numbers are not known here. */
export function keyringFilter(architecture: NodeJS.Architecture): Buffer | undefined {
  const program = PROGRAMS[architecture];
  if (program === undefined) return undefined;
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

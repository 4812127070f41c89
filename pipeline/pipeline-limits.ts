// How large a pipeline may be; everything beyond is refused before it costs anything.

export const PIPELINE_BYTES_MAX = 1024 * 1024;
/** Lists and maps inside each other. */
export const DEPTH_MAX = 40;
/** Words and signs of the YAML text; a thousand ordinary steps have some 70,000. */
export const TOKENS_MAX = 150_000;
export const ALIASES_MAX = 100;
/** Values, each alias counted with all it stands for. */
export const NODES_MAX = 50_000;
export const KEY_LENGTH_MAX = 256;
export const STEPS_MAX = 1000;
/** That one step keeps, or that its expressions name. */
export const ARTIFACTS_MAX = 100;
export const MATRIX_ITEMS_MAX = 256;
/** Lists of one matrix. */
export const MATRIX_LISTS_MAX = 20;
export const PROBLEMS_MAX = 100;
/** Of one `${{ … }}`. */
export const EXPRESSION_LENGTH_MAX = 4000;
export const EXPRESSION_TOKENS_MAX = 500;
/** Of what `fromJSON` reads and of any text on the way to a result. */
export const EXPRESSION_VALUE_BYTES_MAX = 1024 * 1024;
/** Of the text that one expression puts into a field. */
export const EXPRESSION_TEXT_BYTES_MAX = 64 * 1024;
/** What all expressions may cost that are evaluated together: some tenths of a second. */
export const EXPRESSION_WORK_MAX = 30_000_000;

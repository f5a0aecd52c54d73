/** Between a tool server's name and its tool's in the names that models see; no name of a server holds it. */
export const TOOL_NAME_SEPARATOR = '__';

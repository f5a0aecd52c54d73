import { parse } from '@wordpress/block-serialization-default-parser';

export type ParsedBlock = ReturnType<typeof parse>[number];

/** One whole block as WordPress's parser reads it; null where it does not read it as that one block. */
export function parseBlock(raw: string, name: string): ParsedBlock | null {
  try {
    const [block, ...others] = parse(raw);
    return block?.blockName === name && others.length === 0 ? block : null;
  } catch {
    // Its regular expression can run out of stack on megabytes of attributes.
    return null;
  }
}

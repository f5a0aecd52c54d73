import type { Approach } from '../context/approach.ts';
import { geminiCompression } from './gemini-compression.ts';
import { langchainContextEditing } from './langchain-context-editing.ts';
import { langchainSummarization } from './langchain-summarization.ts';

// Nothing that is measured may be told to a server.
process.env['LANGSMITH_TRACING'] = 'false';
process.env['LANGCHAIN_TRACING_V2'] = 'false';

/** What other projects do about a full window, as their packages do it. */
export async function peers(): Promise<Approach[]> {
  return [...langchainSummarization, langchainContextEditing, geminiCompression];
}

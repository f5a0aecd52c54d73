import { z } from 'zod';
import { type BenchReport, benchReport } from '#lib/bench/bench-report';

/** A report as it is stored, or in words what is wrong with it. */
export function parseBenchReport(text: string): { report: BenchReport } | { problem: string } {
  try {
    return { report: benchReport.parse(JSON.parse(text)) };
  } catch (error) {
    return { problem: error instanceof z.ZodError ? z.prettifyError(error).split('\n')[0]! : String(error) };
  }
}

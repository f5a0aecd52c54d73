'use client';

import { type ReactNode, use } from 'react';
import { speak } from '#components/in-your-language.ts';
import { translationOf } from '#components/languages/load-translation.ts';
import type { LanguageCode } from '#server/core/languages';

/** The started load of the texts of the page's language. */
let loading: Promise<void> | null = null;

async function load(code: LanguageCode): Promise<void> {
  speak({ code, dictionary: await translationOf(code) });
}

interface InLanguageProps {
  readonly code: LanguageCode;
  readonly children: ReactNode;
}

/**
 * Loads the texts of the page's language before any component reads one. English needs nothing, and the server knows
 * them from the request. The language changes only with a reload.
 */
export function InLanguage({ code, children }: InLanguageProps) {
  if (code !== 'en' && typeof document !== 'undefined') use((loading ??= load(code)));
  return children;
}

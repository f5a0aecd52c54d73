'use client';

import { type ReactNode, use } from 'react';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import type { LanguageCode } from '#server/core/languages';

/** The started load of the texts of the page's language. */
let loading: Promise<void> | null = null;

async function load(code: LanguageCode): Promise<void> {
  setLanguage(await loadLanguage(code));
}

interface InLanguageProps {
  readonly code: LanguageCode;
  readonly children: ReactNode;
}

/**
 * Loads the texts of the page's language before any component reads one. The server knows them from the request. The
 * language changes only with a reload.
 */
export function InLanguage({ code, children }: InLanguageProps) {
  if (typeof document !== 'undefined') use((loading ??= load(code)));
  return children;
}

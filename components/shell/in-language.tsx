'use client';

import { type ReactNode, use } from 'react';
import { speak } from '#components/in-your-language';
import { translationOf } from '#components/languages/load-translation';
import type { LanguageCode } from '#server/core/languages';

/** The load that a browser has begun: the words of its page's language. */
let loading: Promise<void> | null = null;

async function load(code: LanguageCode): Promise<void> {
  speak({ code, dictionary: await translationOf(code) });
}

interface InLanguageProps {
  readonly code: LanguageCode;
  readonly children: ReactNode;
}

/**
 * Has the words of a page's language before anything of the page says one. English needs nothing, and the server knows
 * them from the request. Which language it is changes with a reload only.
 */
export function InLanguage({ code, children }: InLanguageProps) {
  if (code !== 'en' && typeof document !== 'undefined') use((loading ??= load(code)));
  return children;
}

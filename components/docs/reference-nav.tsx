'use client';

import clsx from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { MethodMark } from '#components/docs/method-mark';
import { SearchField } from '#components/ui/fields';

const t = translator('docs');

/** An operation as a search result. */
export interface FoundOperation {
  readonly href: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

interface ReferenceNavProps {
  readonly pages: readonly { readonly href: string; readonly name: string }[];
  readonly operations: readonly FoundOperation[];
}

/** The pages of the reference, or the operations that contain all typed words. */
export function ReferenceNav({ pages, operations }: ReferenceNavProps) {
  const pathname = usePathname();
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ method, path, summary }) => {
    const all = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <div className="lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto lg:pr-2 lg:pb-4">
      <div className="p-0.5">
        <SearchField label={t('search')} value={text} onChange={setText} />
      </div>
      <output className={clsx('block px-2.5 pt-2 text-xs text-ink-2', words.length === 0 && 'sr-only')}>
        {words.length > 0 && t('found', { count: found.length })}
      </output>
      <nav aria-label={t('areas')} className="mt-2 text-sm">
        {words.length === 0 ? (
          <ul className="flex flex-wrap gap-x-1 lg:block">
            {pages.map(({ href, name }) => (
              <li key={href}>
                <Link
                  href={href}
                  aria-current={pathname === href ? 'page' : undefined}
                  className={clsx(
                    'block rounded-md px-2.5 py-1.5',
                    pathname === href ? 'bg-ink/6 font-medium text-ink' : 'text-ink-2 hover:bg-ink/5 hover:text-ink',
                  )}
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        ) : (
          <ul className="space-y-0.5">
            {found.map(({ href, method, path, summary }) => (
              <li key={href}>
                <Link href={href} className="block rounded-md px-2.5 py-1.5 text-ink-2 hover:bg-ink/5 hover:text-ink">
                  <span className="block">{summary}</span>
                  <span className="flex text-xs">
                    <MethodMark method={method} />
                    <span className="min-w-0 font-mono break-all">{path}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </nav>
    </div>
  );
}

import { ArrowRight } from 'lucide-react';
import useSWR from 'swr';
import { TimeAgo } from '#components/admin/time-ago';
import { Notice } from '#components/ui/notice';
import { paths } from '#lib/api/api-client';
import { libraryStrings } from '#lib/strings/library';
import type { Redirect } from '#server/core/content';

const say = libraryStrings.trash.redirects;

/** Old addresses and where they lead now; nothing is shown where there are none. */
export function RedirectsSection() {
  const { data, error, mutate } = useSWR<{ readonly items: readonly Redirect[] }, Error>(paths.redirects);
  if (data?.items.length === 0 || (!data && !error)) return null;
  return (
    <section aria-labelledby="redirects">
      <h2 id="redirects" className="font-serif text-xl font-medium tracking-[-0.01em]">
        {say.title}
      </h2>
      <p className="mt-0.5 max-w-[62ch] text-sm text-ink-2">{say.body}</p>
      {data ? (
        <ul className="mt-3 border-t border-rule">
          {data.items.map((redirect) => (
            <RedirectRow key={redirect.from} redirect={redirect} />
          ))}
        </ul>
      ) : (
        <Notice
          title={say.failed}
          body={error?.message ?? ''}
          action={{ label: say.retry, run: () => void mutate() }}
        />
      )}
    </section>
  );
}

function RedirectRow({ redirect: { from, to, createdAt } }: { readonly redirect: Redirect }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-rule py-3 text-sm">
      <code className="font-mono text-xs break-all">{from}</code>
      <ArrowRight aria-hidden className="size-3.5 self-center text-ink-3" />
      <span className="sr-only">{say.leadsTo}</span>
      {to === null ? (
        <span className="text-ink-3">{say.nowhere}</span>
      ) : (
        <a
          href={`/site${to}`}
          className="font-mono text-xs break-all underline decoration-rule-strong underline-offset-2 hover:decoration-ink"
        >
          {to}
        </a>
      )}
      <span className="ml-auto text-ink-3">
        <TimeAgo time={createdAt} />
      </span>
    </li>
  );
}

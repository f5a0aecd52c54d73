import { localizedText } from '#components/message-text.ts';
import type { SiteAbilities } from '#server/core/site/remote-site';

/** Lists what a test of a site found unusual, such as a missing ability. */
export function SiteRemarks({ abilities }: { readonly abilities: Pick<SiteAbilities, 'remarks' | 'remarkMessages'> }) {
  const { remarks, remarkMessages } = abilities;
  return (
    <ul className="mt-2 flex max-w-[62ch] list-disc flex-col gap-1 pl-5 text-sm text-ink-2">
      {remarks.map((remark, index) => (
        <li key={remark}>{localizedText(remarkMessages?.[index], remark)}</li>
      ))}
    </ul>
  );
}

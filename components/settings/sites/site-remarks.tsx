import { inYourWords } from '#components/served-words.ts';

/** Lists what a test of a site found unusual, such as a missing ability. */
export function SiteRemarks({ remarks }: { readonly remarks: readonly string[] }) {
  return (
    <ul className="mt-2 flex max-w-[62ch] list-disc flex-col gap-1 pl-5 text-sm text-ink-2">
      {remarks.map((remark) => (
        <li key={remark}>{inYourWords(remark)}</li>
      ))}
    </ul>
  );
}

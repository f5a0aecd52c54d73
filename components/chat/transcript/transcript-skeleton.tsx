import { translator } from '#components/i18n.ts';

const t = translator('transcript');

/** Placeholder while messages load. */
export function TranscriptSkeleton() {
  return (
    <output aria-label={t('loading')} className="block mx-auto w-full max-w-[44rem] flex-1 px-8 pt-8">
      {['w-2/5', 'w-11/12', 'w-4/5', 'w-3/5', 'w-1/3', 'w-10/12'].map((width) => (
        <div key={width} className={`mb-4 h-4 animate-breathe rounded bg-rule ${width}`} />
      ))}
    </output>
  );
}

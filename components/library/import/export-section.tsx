import { useState } from 'react';
import { Section } from '#components/admin/section';
import { Option } from '#components/ui/option';
import { paths } from '#lib/api/api-client';
import { importStrings } from '#lib/strings/imports';

const say = importStrings.export;

/** The whole site as a file. */
export function ExportSection() {
  const [media, setMedia] = useState(true);
  return (
    <Section title={say.title} intro={say.body}>
      <p className="-mt-4 mb-5 text-sm text-ink-3">{say.without}</p>
      <Option label={say.media} hint={say.mediaHint} isOn={media} onChange={setMedia} />
      <a
        href={paths.siteExport({ media })}
        download
        className="mt-5 inline-flex h-8 items-center rounded-md border border-rule-strong bg-sheet px-3 text-sm font-medium hover:border-ink-3"
      >
        {say.download}
      </a>
    </Section>
  );
}

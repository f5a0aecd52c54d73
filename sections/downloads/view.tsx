import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import { siteHref } from '#components/content/text/site-href.ts';

/** `PDF` for `/files/prices.pdf?v=2`; undefined for an address without a file name extension. */
function fileType(href: string): string | undefined {
  const path = href.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/)[0];
  return /\.([a-z0-9]{2,5})$/i.exec(path ?? '')?.[1]?.toUpperCase();
}

/** Files to download, each with its type. */
function Content({ fields: { heading, intro, items, layout }, site, mark }: SectionProps<'downloads'>) {
  return (
    <>
      <SectionHeading heading={heading} intro={intro} mark={mark} />
      <ul className="site-downloads" data-layout={layout} {...mark('items')}>
        {items.map(({ title, href, body }, index) => (
          <li key={index}>
            <a href={siteHref(href, site.root)} {...mark(`items.${index}.title`, 'line')}>
              {title}
            </a>
            {fileType(href) !== undefined && <span className="site-file-type">{fileType(href)}</span>}
            {body !== undefined && (
              <p className="site-item-text" {...mark(`items.${index}.body`, 'line')}>
                {body}
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

export const downloadsView: SectionDisplay<'downloads'> = { Content };

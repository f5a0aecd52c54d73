interface FigureProps {
  readonly src: string;
  readonly alt: string;
  readonly caption?: string | undefined;
}

/** A picture with its caption. */
export function Figure({ src, alt, caption }: FigureProps) {
  return (
    <figure>
      <img src={src} alt={alt} loading="lazy" width={1200} height={800} />
      {caption !== undefined && caption !== '' && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

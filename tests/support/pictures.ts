import sharp from 'sharp';

/** A JPEG lying on its side, as phones take them, with where it was taken written into it (the text `GPS-PLACE`). */
export function photoWithPlace(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#4a6fa5' } })
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { ImageDescription: 'GPS-PLACE' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .jpeg()
    .toBuffer();
}

/** A picture of one colour; other colours are other bytes. */
export function colouredPicture(background: string, { width = 120, height = 80 } = {}): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}

/** A JPEG that looks like a photograph to an encoder: coloured, and no part of it like another. */
export async function photograph(
  background: string,
  { width, height }: { width: number; height: number },
): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const grain = await sharp({ create: { width: 90, height: 60, channels: 3, background, noise } })
    .png()
    .toBuffer();
  return sharp(grain).resize(width, height, { fit: 'fill' }).tint(background).jpeg().toBuffer();
}

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

/**
 * True if a file has only the parts that make up the picture and its colours: an allow-list of each format's chunks,
 * segments or boxes, with nothing after the end. Comments, private chunks, C2PA manifests, locations and appended bytes
 * are not on the list, and neither are unknown parts. Also false for a file that cannot be parsed to its end.
 * @param mediaType media type, detected from the bytes
 */
export function hasOnlyPicture(bytes: Uint8Array, mediaType: string): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return (readers[mediaType] ?? (() => false))(data);
  } catch (error) {
    // A length leads beyond the end of the file.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const readers: Readonly<Record<string, (data: Buffer) => boolean>> = {
  'image/png': isPurePng,
  'image/jpeg': isPureJpeg,
  'image/gif': isPureGif,
  'image/webp': isPureWebp,
  'image/avif': isPureAvif,
};

const names = (text: string) => new Set(text.split(','));
const PNG_CHUNKS = names('IHDR,PLTE,IDAT,IEND,tRNS,gAMA,cHRM,sRGB,iCCP,cICP,sBIT,pHYs,bKGD,acTL,fcTL,fdAT');

/** Chunks: length, name, data, checksum (PNG specification, 5.3). */
function isPurePng(data: Buffer): boolean {
  for (let at = 8; ;) {
    const length = data.readUInt32BE(at);
    const name = data.toString('latin1', at + 4, at + 8);
    if (!PNG_CHUNKS.has(name)) return false;
    at += 12 + length;
    if (name === 'IEND') return length === 0 && at === data.length;
  }
}

const [SOI, EOI, SOS, APP0, APP2, APP14, COM] = [0xd8, 0xd9, 0xda, 0xe0, 0xe2, 0xee, 0xfe];
const JFIF_BYTES = 16;

/**
 * Segments: 0xFF, marker, length (ITU T.81, annex B). The header of a scan is followed by its data up to the next
 * marker.
 */
function isPureJpeg(data: Buffer): boolean {
  if (data.readUInt16BE(0) !== 0xff00 + SOI) return false;
  for (let at = 2; ;) {
    if (data.readUInt8(at) !== 0xff) return false;
    const marker = data.readUInt8(at + 1);
    if (marker === EOI) return at + 2 === data.length;
    const length = data.readUInt16BE(at + 2);
    const isNamed = (name: string) => data.toString('latin1', at + 4, at + 4 + name.length) === name;
    if (marker === APP0 && !(isNamed('JFIF\0') && length === JFIF_BYTES)) return false;
    if (marker === APP2 && !isNamed('ICC_PROFILE\0')) return false;
    if (marker === APP14 && !(isNamed('Adobe') && length === 14)) return false;
    const isApplication = marker >= APP0 && marker <= 0xef;
    if (marker === COM || (isApplication && ![APP0, APP2, APP14].includes(marker))) return false;
    // Extensions and reserved markers.
    if (marker < 0xc0 || marker >= 0xf0) return false;
    at += 2 + length;
    if (marker !== SOS) continue;
    for (;;) {
      at = data.indexOf(0xff, at);
      if (at < 0) return false;
      const next = data.readUInt8(at + 1);
      // Stuffed bytes and restart markers belong to the scan.
      if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) break;
      at += 2;
    }
  }
}

/** Blocks (GIF89a): extensions begin with 0x21, pictures with 0x2C, the end is 0x3B. */
function isPureGif(data: Buffer): boolean {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const afterBlocks = (from: number) => {
    let at = from;
    for (let size = data.readUInt8(at); size > 0; size = data.readUInt8(at)) at += size + 1;
    return at + 1;
  };
  for (let at = 13 + tableBytes(data.readUInt8(10)); ;) {
    const kind = data.readUInt8(at);
    if (kind === 0x3b) return at + 1 === data.length;
    if (kind === 0x2c) at = afterBlocks(at + 10 + tableBytes(data.readUInt8(at + 9)) + 1);
    else {
      if (kind !== 0x21) return false;
      const label = data.readUInt8(at + 1);
      const application = data.toString('latin1', at + 3, at + 14);
      const isLoop = label === 0xff && ['NETSCAPE2.0', 'ANIMEXTS1.0'].includes(application);
      const isBare = isLoop ? data.readUInt8(at + 14) === 3 && data.readUInt8(at + 18) === 0 : label === 0xf9;
      if (!isBare) return false;
      at = afterBlocks(at + 2);
    }
  }
}

const WEBP_CHUNKS = names('VP8 ,VP8L,VP8X,ANIM,ANMF,ALPH,ICCP');
const WEBP_FRAME_CHUNKS = names('VP8 ,VP8L,ALPH');

/** Chunks of RIFF: name, length, data, even (WebP container specification). */
function isPureWebp(data: Buffer): boolean {
  return data.readUInt32LE(4) + 8 === data.length && hasOnlyChunks(data, 12, data.length, WEBP_CHUNKS);
}

function hasOnlyChunks(data: Buffer, from: number, end: number, allowed: ReadonlySet<string>): boolean {
  let at = from;
  while (at < end) {
    const name = data.toString('latin1', at, at + 4);
    const length = data.readUInt32LE(at + 4);
    if (!allowed.has(name)) return false;
    const next = at + 8 + length + (length % 2);
    // The header of a frame has 16 bytes.
    if (name === 'ANMF' && !hasOnlyChunks(data, at + 24, next, WEBP_FRAME_CHUNKS)) return false;
    at = next;
  }
  return at === end;
}

const AVIF_BOXES = names('ftyp,meta,mdat');
const AVIF_META_BOXES = names('hdlr,pitm,iloc,iinf,iprp,iref');
const AVIF_ITEMS = names('av01,grid');

/** Boxes: length, name, data (ISO 14496-12). Exif and XMP are separate items. Animations are always rewritten. */
function isPureAvif(data: Buffer): boolean {
  return boxesOf(data, 0, data.length).every(({ name, from, end }) => {
    if (name !== 'meta') return AVIF_BOXES.has(name);
    return boxesOf(data, from + 4, end).every(
      (box) => AVIF_META_BOXES.has(box.name) && (box.name !== 'iinf' || hasOnlyItems(data, box.from, box.end)),
    );
  });
}

function hasOnlyItems(data: Buffer, from: number, end: number): boolean {
  const countBytes = data.readUInt8(from) === 0 ? 2 : 4;
  // Versions 2 and 3 of an entry: flags, id (2 or 4 bytes), protection index, type.
  return boxesOf(data, from + 4 + countBytes, end).every((entry) => {
    const type = entry.from + 4 + (data.readUInt8(entry.from) === 3 ? 4 : 2) + 2;
    return AVIF_ITEMS.has(data.toString('latin1', type, type + 4));
  });
}

/** @throws RangeError if a box is longer than the box that contains it */
function boxesOf(data: Buffer, from: number, end: number) {
  const boxes: { readonly name: string; readonly from: number; readonly end: number }[] = [];
  for (let at = from; at < end;) {
    const length = data.readUInt32BE(at);
    if (length < 8 || at + length > end) throw new RangeError('A box leads out of the file.');
    boxes.push({ name: data.toString('latin1', at + 4, at + 8), from: at + 8, end: at + length });
    at += length;
  }
  return boxes;
}

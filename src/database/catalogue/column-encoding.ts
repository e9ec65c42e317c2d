import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DataType, EncodingWords } from '../../model/schema.js';

/** encode, compress, level */
type ColumnEncoding = readonly [encode: string, compress: string, level: string];

/** Encoding that tags show. */
export const tagEncoding: ColumnEncoding = ['disabled', 'disabled', 'disabled'];

const allowedWords: Readonly<Record<keyof EncodingWords, readonly string[]>> = {
  encode: ['simple8b', 'delta-i', 'delta-d', 'bit-packing', 'bss', 'disabled'],
  compress: ['lz4', 'zlib', 'zstd', 'tsz', 'xz', 'disabled'],
  level: ['low', 'medium', 'high'],
};

/** The words in lower case; throws 0x261A for one that there is not. */
export function checkedEncoding(words: EncodingWords): EncodingWords {
  const { encode, compress, level } = words;
  return {
    ...(encode === undefined ? {} : { encode: checkedWord('encode', encode) }),
    ...(compress === undefined ? {} : { compress: checkedWord('compress', compress) }),
    ...(level === undefined ? {} : { level: checkedWord('level', level) }),
  };
}

function checkedWord(option: keyof EncodingWords, text: string): string {
  const word = text.toLowerCase();
  if (allowedWords[option].includes(word)) return word;
  throw new FaultError(fault('syntax', Codes.invalidTableOption, `Invalid table option: ${option} '${text}'`));
}

/**
 * The encoding that lists show for a column: what statements chose, otherwise that of its type. The engine has codecs
 * of its own; clients that copy definitions read these.
 */
export function encodingOf(type: DataType, chosen: EncodingWords = {}): ColumnEncoding {
  const [encode, compress, level] = usualEncoding(type);
  return [chosen.encode ?? encode, chosen.compress ?? compress, chosen.level ?? level];
}

/** The encoding that a column of a type has unless its statement says otherwise. */
function usualEncoding({ name }: DataType): ColumnEncoding {
  switch (name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'TINYINT UNSIGNED':
    case 'SMALLINT UNSIGNED':
      return ['simple8b', 'zlib', 'medium'];
    case 'INT':
    case 'INT UNSIGNED':
      return ['simple8b', 'lz4', 'medium'];
    case 'BIGINT':
    case 'BIGINT UNSIGNED':
    case 'TIMESTAMP':
      return ['delta-i', 'lz4', 'medium'];
    case 'FLOAT':
    case 'DOUBLE':
      return ['delta-d', 'lz4', 'medium'];
    case 'BOOL':
      return ['bit-packing', 'zstd', 'medium'];
    default:
      return ['disabled', 'zstd', 'medium'];
  }
}

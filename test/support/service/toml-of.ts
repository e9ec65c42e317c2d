/** Arguments of the service, `--name=value`, as a settings file. */
export function tomlOf(args: readonly string[]): string {
  return args
    .map((arg) => {
      const [, name = '', value = ''] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
      const text = name === 'database.urls' ? JSON.stringify(value.split(',')) : JSON.stringify(value);
      return `${name} = ${text}\n`;
    })
    .join('');
}

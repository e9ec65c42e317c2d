/** Engine SQL of a number that is not NULL as text with so many digits of its fraction, or all of them where those would be another number. */
export function fractionText(number: string, digits: number, type: 'Float32' | 'Float64' = 'Float64'): string {
  const text = `printf('%.${digits}f', x)`;
  return `arrayElement(arrayMap(x -> if(to${type}(${text}) = x, ${text}, toString(x)), [${number}]), 1)`;
}

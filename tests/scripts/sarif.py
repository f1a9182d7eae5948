#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sarif.py FILE: what the SARIF 2.1.0 schema requires of the report of the simulated GPU, and prints one line a result.

The required properties and the values are those of the OASIS schema (sarif-schema-2.1.0.json) for the objects that the
report has; it refuses properties that the schema does not know, as the schema does (additionalProperties: false)."""
import json, re, sys
from urllib.parse import urlsplit

def fail(where, what): sys.exit(f'{sys.argv[1]}: {where}: {what}')

def check(value, where, required, optional):
  if not isinstance(value, dict): fail(where, 'not an object')
  for name in required:
    if name not in value: fail(where, f'no {name}')
  for name in value:
    if name not in required and name not in optional: fail(where, f'{name} is not in the schema')

def text(value, where):
  if not isinstance(value, str) or not value: fail(where, 'not a text')
  return value

def integer(value, where, least):
  if not isinstance(value, int) or isinstance(value, bool) or value < least: fail(where, f'not an integer >= {least}')
  return value

def location(value, where):
  check(value, where, [], ['id', 'physicalLocation', 'message'])
  place = value['physicalLocation']
  check(place, f'{where}.physicalLocation', [], ['artifactLocation', 'region', 'contextRegion', 'address'])
  check(place['artifactLocation'], f'{where}.artifactLocation', [], ['uri', 'uriBaseId', 'index', 'description'])
  uri = text(place['artifactLocation']['uri'], f'{where}.uri')
  if re.search(r'[^A-Za-z0-9._~:/?#\[\]@!$&\'()*+,;=%-]|%(?![0-9A-Fa-f]{2})', uri): fail(where, f'{uri} is no URI reference')
  if urlsplit(uri).scheme not in ('', 'file'): fail(where, f'{uri}: scheme')
  check(place['region'], f'{where}.region', [], ['startLine', 'startColumn', 'endLine', 'endColumn', 'snippet', 'message'])
  return f"{uri.rsplit('/', 1)[-1]}:{integer(place['region']['startLine'], where, 1)}"

log = json.load(open(sys.argv[1], encoding='utf-8'))
check(log, 'log', ['version', 'runs'], ['$schema', 'inlineExternalProperties', 'properties'])
if log['version'] != '2.1.0': fail('log', 'version')
if not isinstance(log['runs'], list): fail('log', 'runs')
for run in log['runs']:
  check(run, 'run', ['tool'], ['results', 'invocations', 'artifacts', 'columnKind', 'properties'])
  check(run['tool'], 'tool', ['driver'], ['extensions', 'properties'])
  driver = run['tool']['driver']
  check(driver, 'driver', ['name'], ['version', 'semanticVersion', 'informationUri', 'rules', 'properties'])
  text(driver['name'], 'driver.name')
  rules = driver.get('rules', [])
  for rule in rules: check(rule, 'rule', ['id'], ['name', 'shortDescription', 'fullDescription', 'help', 'helpUri', 'properties'])
  if len({rule['id'] for rule in rules}) != len(rules): fail('rules', 'two have one id')
  for k, result in enumerate(run.get('results', [])):
    where = f'result {k}'
    check(result, where, ['message'], ['ruleId', 'ruleIndex', 'level', 'kind', 'occurrenceCount', 'locations', 'relatedLocations', 'properties'])
    check(result['message'], f'{where}.message', ['text'], ['markdown', 'id', 'arguments'])
    if result.get('level') not in ('none', 'note', 'warning', 'error'): fail(where, 'level')
    if rules[integer(result['ruleIndex'], where, -1)]['id'] != result['ruleId']: fail(where, 'ruleIndex is of another rule')
    integer(result['occurrenceCount'], where, 1)
    places = [location(l, where) for name in ('locations', 'relatedLocations') for l in result.get(name, [])]
    print(result['ruleId'], result['level'], *places)

# SPDX-License-Identifier: Apache-2.0
#
# Checks a file of `isowarp run --timeline` by the rules of the Trace Event format: each B has its E, in each
# thread slices lie within each other, the time never falls, and each thread and process has a name. Prints
# for each process how many slices of each category it has. usage: timeline.py FILE
import collections
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    trace = json.load(file)
# In which slices those of a category may lie.
within = {'launch': [None], 'kernel': [None], 'phase': ['kernel'], 'barrier': ['kernel'],
          'poll': ['phase', 'kernel']}
wrong = []
processes, threads = {}, {}
open_slices = collections.defaultdict(list)
time = 0
counts = collections.defaultdict(collections.Counter)
for event in trace['traceEvents']:
    at = (event['pid'], event['tid'])
    if event['ph'] == 'M':
        if event['name'] == 'process_name':
            processes[at[0]] = event['args']['name']
        if event['name'] == 'thread_name':
            threads[at] = event['args']['name']
        continue
    if event['ph'] not in ('B', 'E') or not isinstance(event['ts'], int):
        wrong.append(f'not a begin or an end at a step: {event}')
        continue
    if event['ts'] < time:
        wrong.append(f'the time falls from {time}: {event}')
    time = event['ts']
    if event['ph'] == 'B':
        outer = open_slices[at][-1]['cat'] if open_slices[at] else None
        if outer not in within[event['cat']]:
            wrong.append(f'within {outer}: {event}')
        open_slices[at].append(event)
        counts[at[0]][event['cat']] += 1
    elif not open_slices[at]:
        wrong.append(f'an end without a begin: {event}')
    else:
        begin = open_slices[at].pop()
        if event['ts'] <= begin['ts']:
            wrong.append(f'a slice without length: {begin}')
for at in open_slices:
    if open_slices[at]:
        wrong.append(f'no end: {open_slices[at]}')
    if at not in threads or at[0] not in processes:
        wrong.append(f'without a name: {at}')
for process in sorted(counts):
    slices = ', '.join(f'{number} {name}' for name, number in sorted(counts[process].items()))
    print(processes.get(process), slices, sep='; ')
for text in wrong[:10]:
    print('FAILED:', text)
sys.exit(1 if wrong or not counts else 0)

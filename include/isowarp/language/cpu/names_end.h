/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends what names.h begins: the templates' short names mean again whatever the program had defined under
 * them.
 */
#pragma pop_macro("IW_TEMPLATE")
#pragma pop_macro("IW_TYPE_SET")
#pragma pop_macro("T")
#pragma pop_macro("OP")
#pragma pop_macro("FN")
#pragma pop_macro("VFN")
#pragma pop_macro("SFN")
#pragma pop_macro("OP_FN")
#pragma pop_macro("OP_LANES")
#pragma pop_macro("OP_REGISTERS")
#pragma pop_macro("OP_SCALARS")
#pragma pop_macro("LANES")
#pragma pop_macro("SCALAR")
#pragma pop_macro("REGISTER")
#pragma pop_macro("VL")
#pragma pop_macro("VECTORS")
#pragma pop_macro("PADDED")
#pragma pop_macro("EACH")
#pragma pop_macro("SOME")
#pragma pop_macro("ROW")
#pragma pop_macro("ROW_TYPE")
#pragma pop_macro("ROW_LENGTH")
#pragma pop_macro("ROW_VECTORS")
#pragma pop_macro("EACH_VECTOR")
